"""Attacks on the order of claims, on tapes, on links and on logs."""

from attack import FALSE_ENTRY, FALSE_WORD, REPLAY, SIGNED_LIE, Attack, Outcome

from kemps_p2p.errors import Fault
from kemps_p2p.session.findings import Flaw

NO_ITEM = ("test_sim_cheats_words", "test_an_item_that_is_none_silences_its_seat_and_breaks_nobody")
LAB = ("test_lab_attacks", "test_the_table_withstands")
WITHOUT = ("test_lab_attacks", "test_without_its_check_the_attack_succeeds")

TABLE_ATTACKS = (
    Attack(
        20,
        "a seat on duty that lies about order, omits, or is faster than what it hears",
        (
            Fault.BAD_VERDICT,
            Fault.BAD_ORDER,
            Fault.BAD_CHECKPOINT,
            Fault.BAD_ENTRY,
            Fault.BAD_TIME,
            Outcome.NO_GAIN,
        ),
        (FALSE_ENTRY, LAB, WITHOUT),
        (
            "another result",
            "no evidence",
            "other scores",
            "another dealer",
            "a close before the end",
            "time that runs backwards",
        ),
    ),
    Attack(
        21,
        "an old head; a stamp too low or of the future",
        (Fault.BAD_STAMP, Fault.BAD_CLAIM, Outcome.NO_GAIN),
        (
            ("test_ledger_tape", "test_what_a_seat_signed_is_its_own_fault"),
            ("test_ledger_tapebook", "test_a_stamp_that_does_not_grow_is_the_authors_fault"),
            (
                "test_ledger_tapebook",
                "test_a_stamp_that_leaps_waits_and_nobody_comes_to_rest_on_it",
            ),
            ("test_ledger_claimbook", "test_claims_against_too_old_a_head_are_refused_from_then_on"),
            ("test_session_attacks", "test_a_claim_against_an_old_head_is_no_earlier_for_it"),
            (
                "test_session_attacks",
                "test_a_claim_made_in_an_earlier_deal_takes_nothing_in_the_next",
            ),
            ("test_sim_cheats_words", "test_a_claim_that_wants_more_than_its_due"),
            ("test_sim_cheats_words", "test_a_stamp_that_leaps_silences_its_seat_alone"),
            ("test_audit_forged", "test_a_stamp_that_leaps_is_found_where_it_leaps"),
            FALSE_WORD,
            SIGNED_LIE,
        ),
        (
            "claims against old heads",
            "stamp that leaps",
            "a claim against another chain",
        ),
    ),
    Attack(
        22,
        "a witness that lies, is late, or says nothing",
        (Outcome.NO_GAIN,),
        (
            ("test_ledger_poll", "test_one_lying_partner_of_four_can_force_a_coin_and_no_more"),
            ("test_ledger_poll", "test_silence_of_need_witnesses_decides_nothing"),
            ("test_lab_fairness", "test_one_liar_turns_losses_into_coins_and_never_into_wins"),
        ),
    ),
    Attack(
        23,
        "a tape that says two things at one number, to two parts of the table",
        (Fault.EQUIVOCATION,),
        (
            ("test_ledger_tapebook", "test_two_items_in_one_place_are_evidence_and_both_are_kept"),
            ("test_ledger_tapebook", "test_peers_with_halves_of_a_fork_show_it_to_each_other"),
            ("test_ledger_entry", "test_what_one_honest_key_cannot_say"),
            ("test_session_machine", "test_two_items_at_one_number_are_told_kept_and_passed_on"),
            (
                "test_sim_cheats_words",
                "test_two_items_at_one_number_for_two_halves_of_the_table",
            ),
            ("test_sim_cheats_words", "test_a_fault_is_punished_once_however_often_it_is_shown"),
            SIGNED_LIE,
        ),
        ("forked tape",),
    ),
    Attack(
        24,
        "an item of another match, deal or incarnation, said again",
        (Fault.WRONG_MATCH, Fault.BAD_LINK, Fault.BAD_KEY_PROOF, Fault.BAD_TURN, Outcome.NO_GAIN),
        (
            ("test_ledger_tape", "test_a_strangers_bytes_blame_nobody"),
            ("test_ledger_tape", "test_what_a_seat_signed_is_its_own_fault"),
            ("test_session_machine", "test_an_item_of_another_match_or_seat_blames_nobody"),
            (
                "test_session_attacks",
                "test_a_claim_made_in_an_earlier_deal_takes_nothing_in_the_next",
            ),
            REPLAY,
            FALSE_WORD,
            SIGNED_LIE,
        ),
        ("a key of deal -1", "a key of a far deal", "a key of another attempt", "a turn of round -5"),
    ),
    Attack(
        25,
        "a claim for half of the table; a claim that witnesses name and nobody made",
        (Outcome.NO_GAIN,),
        (
            (
                "test_ledger_claimbook",
                "test_a_mention_of_what_is_not_held_stops_the_tape_until_it_is",
            ),
            ("test_session_evidence", "test_whatever_seats_name_the_evidence_decides_as_the_tapes_do"),
            (
                "test_sim_cheats_words",
                "test_what_is_kept_from_half_of_the_table_reaches_it_by_the_others",
            ),
            (
                "test_sim_cheats_words",
                "test_a_witness_that_names_a_claim_nobody_made_says_nothing_more_and_makes_nobody_first",
            ),
        ),
        ("claims kept from half of the table", "receipt of a claim that nobody made"),
    ),
    Attack(
        26,
        "many claims at once; two for one card; one for a card that has just moved",
        (Fault.MALFORMED, Outcome.NO_GAIN),
        (
            ("test_ledger_tape", "test_what_a_seat_signed_is_its_own_fault"),
            ("test_ledger_claimbook", "test_claims_of_a_seat_and_kind_are_logged_in_their_order"),
            ("test_session_play", "test_one_claim_of_a_kind_at_a_time"),
            (
                "test_session_attacks",
                "test_of_claims_sprayed_at_one_head_the_first_alone_counts",
            ),
            ("test_session_attacks", "test_a_claim_on_a_card_that_has_just_moved_is_missed"),
            ("test_sim_cheats_words", "test_a_claim_that_wants_more_than_its_due"),
        ),
        ("sprayed claims",),
    ),
    Attack(
        27,
        "a claim ground for its luck; a coin that is false or refused",
        (Fault.BAD_COIN, Fault.BAD_ORDER, Outcome.NO_GAIN),
        (
            (
                "test_ledger_attacks",
                "test_grinding_a_claim_gains_nothing_while_one_coin_is_unknown",
            ),
            ("test_ledger_attacks", "test_a_coin_that_was_known_would_be_ground_against"),
            ("test_ledger_entry", "test_no_coin_at_all_is_its_owners_fault"),
            ("test_sim_cheats_words", "test_a_false_coin_does_not_keep_the_true_one_out"),
            ("test_sim_cheats_words", "test_a_seat_that_refuses_its_coin_wins_no_contest"),
            SIGNED_LIE,
        ),
        ("false coin", "no coin", "a coin that nobody owes"),
    ),
    Attack(
        28,
        "a share of a card in the middle kept back; a claim before play starts",
        (Outcome.NO_GAIN,),
        (LAB,),
    ),
    Attack(
        29,
        "a decided claim that the seat on duty sits on",
        (Outcome.NO_GAIN,),
        (LAB,),
    ),
    Attack(
        31,
        "an old state: a second item at one number, or a nonce used again",
        (Outcome.NO_GAIN,),
        (
            ("test_ledger_tape", "test_an_honest_tape_opens_link_by_link"),
            ("test_session_play", "test_what_is_sent_has_been_appended"),
            ("test_deck_secrets", "test_a_turn_made_again_is_the_same_bytes"),
            ("test_sim_seeds", "test_every_peer_ends_with_the_same_chain"),
            ("test_store_failures", "test_a_second_process_is_locked_out_until_the_first_closes"),
            ("test_store_secrets", "test_a_secret_is_written_once_for_its_owner_only"),
            ("test_secrecy_sources", "test_two_matches_have_two_secrets"),
        ),
    ),
    Attack(
        33,
        "messages without form, too large, deep or many, before and after the handshake",
        (Fault.MALFORMED, Fault.NOT_CANONICAL, Fault.TOO_LARGE, Fault.BAD_ENTRY, Outcome.TURNED_AWAY),
        (
            ("test_transport_door", "test_garbage_before_the_handshake_disturbs_nobody"),
            ("test_transport", "test_more_than_one_part_is_dropped_and_counted"),
            ("test_transport", "test_the_size_limit_is_exact"),
            ("test_transport", "test_of_a_slow_reader_s_peers_a_bounded_number_is_kept"),
            ("test_transport", "test_a_peer_that_is_not_there_costs_a_bounded_queue"),
            ("test_transport", "test_batches_are_bounded_and_lose_nothing"),
            ("test_session_machine", "test_what_is_no_message_is_malformed"),
            ("test_session_machine", "test_a_message_has_a_limit"),
            ("test_session_machine", "test_one_value_has_one_encoding"),
            ("test_session_machine", "test_random_bytes_never_escape"),
            (
                "test_session_machine",
                "test_true_messages_with_changed_bytes_never_escape_and_blame_nobody",
            ),
            ("test_session_machine", "test_early_batches_are_kept_for_the_match_within_bounds"),
            ("test_ledger_tapebook", "test_early_items_are_bounded"),
            ("test_ledger_tapebook", "test_the_bytes_of_what_waits_are_bounded"),
            ("test_ledger_entry", "test_an_entry_that_cannot_be_read_is_its_authors_fault"),
            FALSE_WORD,
            NO_ITEM,
            FALSE_ENTRY,
        ),
        (
            "a deed that is none",
            "a deed that is deep",
            "a claim that is none",
            "an entry that is none",
            "a large coin",
            "an item that says nothing",
            "an ack below genesis",
            "a receipt of a short name",
            "a claim below genesis",
            "an entry beside a deed",
            "a note that is none",
        ),
    ),
    Attack(
        35,
        "a stranger's message that would have a seat blamed",
        (Outcome.TURNED_AWAY, Fault.BAD_SIGNATURE, Fault.WRONG_SEAT, Fault.BAD_BLAME),
        (
            ("test_ledger_tape", "test_a_strangers_bytes_blame_nobody"),
            ("test_ledger_tape", "test_any_changed_byte_is_found"),
            ("test_session_lobby", "test_a_strangers_words_blame_nobody"),
            ("test_session_machine", "test_garbage_is_told_and_blames_nobody"),
            (
                "test_sim_cheats_words",
                "test_whatever_a_stranger_puts_on_the_wire_nobody_is_blamed_for_it",
            ),
            ("test_ledger_entry", "test_evidence_needs_both_signatures"),
            FALSE_ENTRY,
        ),
        ("blame of the honest",),
    ),
    Attack(
        36,
        "a log with an entry dropped, moved, repeated, cut off, foreign or changed",
        (
            Flaw.MISSING_ENTRY,
            Flaw.OUT_OF_PLACE,
            Flaw.AFTER_ANNEX,
            Flaw.NO_CERTIFICATE,
            Flaw.TORN,
            Fault.WRONG_MATCH,
        ),
        (
            (
                "test_audit_damage",
                "test_dropped_reordered_and_repeated_entries_are_found_and_nobody_is_blamed",
            ),
            ("test_audit_damage", "test_an_entry_of_another_match_is_found"),
            ("test_audit_damage", "test_a_torn_object_is_named_by_the_index_it_would_have"),
            ("test_audit_damage", "test_a_log_cut_between_objects_is_incomplete"),
            ("test_audit_damage", "test_without_its_annex_a_log_lacks_a_certificate"),
            ("test_audit_damage", "test_what_follows_the_annex_is_found"),
            ("test_audit_damage", "test_changed_bytes_are_found_with_their_index"),
            ("test_audit_damage", "test_bytes_of_header_and_annex_count"),
        ),
    ),
    Attack(
        37,
        "two stories of one match",
        (Flaw.FORK, Fault.EQUIVOCATION),
        (
            ("test_audit_joint", "test_two_stories_contradict_each_other_and_their_author_is_named"),
            ("test_audit_joint", "test_of_three_logs_the_pairs_that_contradict_each_other_are_named"),
            ("test_audit_joint", "test_the_beginning_of_another_story_is_enough"),
            ("test_cli_disputes", "test_a_fork_is_told_with_both_heads_and_who_signed_both"),
        ),
    ),
    Attack(
        38,
        "scores, a dealer, results or winners written otherwise: all are derived, so each is a lie",
        (Fault.BAD_CHECKPOINT, Fault.BAD_VERDICT),
        (("test_audit_forged", "test_the_lie_is_found"),),
    ),
    Attack(
        39,
        "a log of a later version",
        (Fault.NEWER_VERSION,),
        (("test_audit_damage", "test_a_log_of_a_newer_version_is_refused_for_that_reason"),),
    ),
    Attack(
        40,
        "a torn tail",
        (Flaw.TORN, Flaw.NOT_CLOSED),
        (
            ("test_audit_damage", "test_a_torn_tail_is_incomplete_never_corrupt"),
            ("test_audit_damage", "test_zeros_behind_the_tail_are_a_torn_tail"),
            ("test_cli_audit", "test_a_torn_log_exits_with_11"),
            ("test_cli_disputes", "test_a_race_of_a_log_that_is_not_clean_exits_as_its_audit"),
        ),
    ),
)
