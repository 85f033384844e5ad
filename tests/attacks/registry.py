"""The attacks that the program withstands: where each is refused, and the tests that prove it.

Plain data. A test is named by its module and function; a cheat by its name in the simulator's tables of lies.
"""

from dataclasses import dataclass
from enum import Enum, auto

from kemps_p2p.errors import Fault
from kemps_p2p.session.findings import Flaw


class Outcome(Enum):
    """What becomes of an attack for which nobody can be blamed."""

    NO_GAIN = auto()
    """Silence, or a lie about when something was heard: lawful to say, and of no use to the liar."""
    TURNED_AWAY = auto()
    """A stranger's: counted or dropped at the door, and nobody at the table is blamed."""


@dataclass(frozen=True)
class Attack:
    """One attack. `refused`: what its tests expect. `tests`: module and function. `cheats`: whole seats."""

    number: int
    name: str
    refused: tuple[Fault | Flaw | Outcome, ...]
    tests: tuple[tuple[str, str], ...]
    cheats: tuple[str, ...] = ()


FALSE_TURN = ("test_sim_cheats_deck", "test_a_false_turn")
FALSE_KEY = ("test_sim_cheats_deck", "test_a_false_key")
FALSE_SHARE = ("test_sim_cheats_deck", "test_a_false_share")
REPLAY = ("test_sim_cheats_deck", "test_what_was_true_in_another_deal")
FALSE_LIST = ("test_deck_cheats", "test_a_false_list_with_a_fresh_proof")
FALSE_WORD = ("test_sim_cheats_words", "test_what_nobody_may_say_stops_nobody")
NO_ITEM = ("test_sim_cheats_words", "test_an_item_that_is_none_silences_its_seat_and_breaks_nobody")
FALSE_ENTRY = ("test_sim_cheats_duty", "test_a_false_entry_is_acked_by_nobody")
EVERY_FIELD = ("test_deck_mutations", "test_every_point_and_scalar_changed")
LAB = ("test_lab_attacks", "test_the_table_withstands")
WITHOUT = ("test_lab_attacks", "test_without_its_check_the_attack_succeeds")
SIGNED_LIE = ("test_audit_forged", "test_the_lie_is_found")

ATTACKS = (
    Attack(
        1,
        "a card twice in one turn, with the best proof for it",
        (Fault.BAD_SHUFFLE_PROOF,),
        (
            FALSE_LIST,
            ("test_deck_cheats", "test_false_first_lists"),
            ("test_deck_cheats", "test_the_best_that_a_cheat_can_do"),
            FALSE_TURN,
            ("test_sim_cheats_deck", "test_a_false_turn_later_in_the_match"),
            ("test_sim_cheats_deck", "test_a_false_turn_on_real_points"),
            ("test_sim_cheats_deck", "test_a_false_turn_of_the_seat_on_duty_that_blames_itself"),
            (
                "test_sim_cheats_deck",
                "test_a_false_turn_of_the_seat_on_duty_that_it_does_not_blame_costs_it_the_duty_too",
            ),
            SIGNED_LIE,
        ),
        ("duplicate card",),
    ),
    Attack(
        2,
        "a card replaced by a point that is none",
        (Fault.BAD_SHUFFLE_PROOF,),
        (FALSE_LIST, FALSE_TURN),
        ("replaced card",),
    ),
    Attack(
        3,
        "one card blinded otherwise than the rest, to know it again",
        (Fault.BAD_SHUFFLE_PROOF,),
        (FALSE_LIST, ("test_deck_cheats", "test_an_identity_order_with_a_wrong_rerandomisation"), FALSE_TURN),
        ("tagged card",),
    ),
    Attack(
        4,
        "the identity, another encoding or another length in any field of any message",
        (Fault.BAD_POINT, Fault.BAD_SCALAR, Fault.MALFORMED, Fault.BAD_KEY),
        (
            EVERY_FIELD,
            ("test_deck_mutations", "test_a_digest_changed"),
            ("test_deck_mutations", "test_values_of_another_type"),
            ("test_deck_mutations", "test_what_a_deck_holds_is_canonical_even_unverified"),
            ("test_deck_keys", "test_seeds_open_their_own_commitments_alone"),
            ("test_deck_group", "test_published_encodings_that_are_not_canonical"),
            ("test_deck_group", "test_the_top_bit_gives_no_second_encoding"),
            ("test_deck_group", "test_the_identity_is_a_point_of_ours_but_of_no_peer"),
            ("test_ledger_identity", "test_keys_of_small_order_are_refused"),
            FALSE_TURN,
            FALSE_KEY,
            FALSE_SHARE,
        ),
        (
            "no point",
            "the identity",
            "a point cut short",
            "key that is the identity",
            "a share that is the identity",
        ),
    ),
    Attack(
        5,
        "one scalar, one point or one bit of a proof changed",
        (Fault.BAD_KEY_PROOF, Fault.BAD_SHUFFLE_PROOF, Fault.BAD_SHARE_PROOF),
        (
            EVERY_FIELD,
            ("test_deck_mutations", "test_every_bit_of_the_encoded_message"),
            ("test_deck_mutations", "test_every_bit_of_short_messages_in_the_real_group"),
            FALSE_TURN,
            FALSE_KEY,
            FALSE_SHARE,
        ),
        (
            "another p",
            "another q",
            "another challenge",
            "another s1",
            "another s4",
            "another s_hat",
            "another s_prime",
            "unproven key",
            "another point for a share",
            "shares with another proof",
        ),
    ),
    Attack(
        6,
        "vectors one short, one long, empty or huge",
        (Fault.MALFORMED,),
        (
            ("test_deck_mutations", "test_vectors_of_another_length_or_order"),
            ("test_deck_costs", "test_vectors_of_another_length_cost_no_operation"),
            ("test_deck_cheats", "test_a_turn_of_another_size"),
            FALSE_TURN,
            FALSE_SHARE,
        ),
        ("a short list", "a huge list", "a vector too long", "an empty proof", "one share too few"),
    ),
    Attack(
        7,
        "scalars that are not reduced",
        (Fault.BAD_SCALAR,),
        (
            EVERY_FIELD,
            ("test_deck_group", "test_a_scalar_is_reduced_and_not_zero"),
            ("test_ledger_identity", "test_s_plus_the_order_is_refused"),
            FALSE_TURN,
        ),
        ("an unreduced scalar",),
    ),
    Attack(
        8,
        "a statement chosen after its challenge",
        (Fault.BAD_SHARE_PROOF,),
        (
            ("test_deck_transcript", "test_what_is_fixed_before_the_card_challenges_changes_all"),
            ("test_deck_transcript", "test_what_is_said_after_them_changes_the_last_challenge"),
            ("test_deck_transcript", "test_points_do_not_slide_between_lists"),
            ("test_deck_transcript", "test_the_version_changes_every_challenge"),
            (
                "test_deck_transcript",
                "test_every_part_of_a_share_statement_changes_weights_and_challenge",
            ),
            ("test_deck_transcript", "test_both_announced_points_change_the_challenge_of_shares"),
            ("test_deck_transcript", "test_every_public_value_changes_the_challenge_of_a_key"),
            ("test_deck_keys", "test_shares_that_would_pass_with_weights_known_beforehand"),
        ),
    ),
    Attack(
        9,
        "a true proof in another match, deal, attempt, round, seat or stage",
        (Fault.BAD_TURN, Fault.BAD_SHUFFLE_PROOF, Fault.BAD_KEY_PROOF, Fault.BAD_SHARE_PROOF),
        (
            ("test_deck_cheats", "test_a_turn_replayed_elsewhere"),
            ("test_deck_cheats", "test_a_turn_of_another_seat"),
            ("test_deck_cheats", "test_a_turn_of_an_earlier_round"),
            ("test_deck_keys", "test_a_key_proof_holds_for_its_table_and_seat_alone"),
            ("test_deck_keys", "test_shares_replayed_elsewhere"),
            ("test_deck_mutations", "test_a_proof_of_another_kind"),
            REPLAY,
        ),
        ("key of the deal before", "turn of the deal before"),
    ),
    Attack(
        10,
        "a commitment, a key or a proof copied; a key that is nothing or cancels others",
        (Fault.BAD_KEY, Fault.BAD_KEY_PROOF, Fault.BAD_SEED, Fault.BAD_POINT),
        (
            ("test_deck_keys", "test_copies_of_another_seats_key"),
            ("test_deck_keys", "test_a_copy_that_comes_first_does_not_shut_out_its_owner"),
            ("test_deck_keys", "test_a_copied_commitment_stops_nobody_and_cannot_be_opened"),
            ("test_deck_keys", "test_keys_that_cancel"),
            ("test_deck_keys", "test_a_seat_that_does_not_know_its_secret"),
            ("test_session_attacks", "test_a_seat_that_copies_the_commitment_of_another_cancels_nothing"),
            FALSE_KEY,
            (
                "test_sim_cheats_deck",
                "test_a_copied_commitment_loses_the_match_when_it_cannot_be_opened",
            ),
            ("test_sim_cheats_deck", "test_keys_that_cancel"),
        ),
        (
            "copied key",
            "copied point of a key",
            "copied proof of a key",
            "copied commitment",
            "keys that cancel",
        ),
    ),
    Attack(
        11,
        "generators or card points whose ratio somebody knows",
        (Fault.BAD_SHUFFLE_PROOF,),
        (
            ("test_deck_group", "test_points_with_no_known_ratio"),
            ("test_deck_group", "test_generators_come_from_labels_alone"),
            ("test_deck_cheats", "test_generators_of_the_provers_choice"),
        ),
    ),
    Attack(
        12,
        "a turn skipped, taken twice or by another seat; a list that is not the one before it",
        (Fault.BAD_TURN, Fault.BAD_SHUFFLE_PROOF, Fault.NOT_OWED, Outcome.NO_GAIN),
        (
            ("test_deck_cheats", "test_turns_out_of_order"),
            ("test_deck_cheats", "test_a_turn_of_another_seat"),
            ("test_deck_cheats", "test_a_list_of_another_deal"),
            ("test_deck_cheats", "test_a_turn_on_a_list_that_is_not_the_predecessors"),
            FALSE_TURN,
            ("test_sim_cheats_deck", "test_a_turn_out_of_turn_is_left_alone"),
            ("test_sim_cheats_deck", "test_a_turn_taken_by_another_seat_is_left_alone"),
            FALSE_ENTRY,
            SIGNED_LIE,
        ),
        ("list of its own", "list under the right name", "turn of another seat", "a skipped turn"),
    ),
    Attack(
        13,
        "all other seats together; one permutation or nonce on two inputs",
        (Fault.EQUIVOCATION, Outcome.NO_GAIN),
        (
            ("test_secrecy_match", "test_nothing_is_known_before_it_is_due"),
            ("test_secrecy_nodes", "test_nothing_is_known_before_it_is_due"),
            ("test_deck_keys", "test_without_the_share_of_one_honest_seat_nothing_shows"),
            ("test_deck_secrets", "test_an_equivocating_predecessor_learns_nothing_from_two_turns"),
            ("test_deck_secrets", "test_a_turn_made_again_is_the_same_bytes"),
            ("test_deck_secrets", "test_a_recycled_list_of_the_same_cards_has_other_secrets"),
            ("test_deck_secrets", "test_no_nonce_of_a_key_or_share_proof_meets_two_challenges"),
            (
                "test_session_attacks",
                "test_a_turn_once_written_is_resent_as_it_was_and_never_made_anew",
            ),
            ("test_sim_cheats_words", "test_a_turn_forked_for_the_next_seat_alone"),
            (
                "test_sim_cheats_words",
                "test_two_true_turns_for_two_parts_of_the_table_tell_the_cheat_nothing",
            ),
        ),
        ("turn forked for the next seat", "two true turns"),
    ),
    Attack(
        14,
        "whoever speaks last in a joint value chooses it",
        (Fault.BAD_COMMITMENT, Fault.BAD_COIN, Fault.BAD_SEED, Fault.BAD_SEAL),
        (
            ("test_session_lobby", "test_no_nonce_is_shown_before_all_have_sat_down"),
            ("test_session_lobby", "test_a_false_opening_is_its_seats_fault"),
            (
                "test_session_lobby",
                "test_the_joint_value_depends_on_every_nonce_and_draws_every_dealer",
            ),
            ("test_session_attacks", "test_a_seat_that_copies_the_commitment_of_another_cancels_nothing"),
            ("test_ledger_entry", "test_a_coin_of_another_link_is_its_owners_fault"),
            (
                "test_ledger_poll",
                "test_each_of_two_claims_goes_first_half_of_the_time_and_every_coin_matters",
            ),
            ("test_deck_keys", "test_a_turn_that_was_not_made_from_the_seed"),
            ("test_sim_cheats_deck", "test_a_false_seed_loses_the_match"),
            ("test_sim_cheats_deck", "test_a_seal_that_the_seed_does_not_open_loses_the_match"),
            (
                "test_sim_cheats_words",
                "test_a_false_seed_said_before_its_time_counts_when_it_is_owed",
            ),
        ),
        ("another seed", "another seal", "false seed before its time"),
    ),
    Attack(
        15,
        "a share of another position, under another key, not owed, or on what is not final",
        (Fault.BAD_SHARE_PROOF, Fault.NOT_OWED, Outcome.NO_GAIN),
        (
            ("test_deck_keys", "test_false_shares_with_a_fresh_proof"),
            ("test_deck_keys", "test_shares_that_nobody_can_owe"),
            ("test_deck_keys", "test_a_second_share_of_a_position"),
            (
                "test_session_attacks",
                "test_a_share_on_an_entry_that_is_not_final_is_neither_sent_nor_ordered",
            ),
            (
                "test_session_attacks",
                "test_an_entry_with_a_share_on_what_is_not_final_is_not_acked_until_it_is",
            ),
            FALSE_SHARE,
            ("test_sim_cheats_deck", "test_a_true_share_that_is_not_owed_is_never_accepted"),
            FALSE_WORD,
            SIGNED_LIE,
        ),
        (
            "shares of other positions",
            "shares under another key",
            "shares of a far deal",
            "shares of a far round",
            "shares of no position",
        ),
    ),
    Attack(
        16,
        "shares for some and not for others; two signed decks; shares before all turns are verified",
        (Fault.EQUIVOCATION, Fault.BAD_SHARE_PROOF, Outcome.NO_GAIN),
        (
            (
                "test_session_attacks",
                "test_no_share_leaves_a_seat_before_it_has_verified_every_turn_itself",
            ),
            ("test_deck_keys", "test_no_share_of_an_earlier_list_is_ever_made"),
            (
                "test_sim_cheats_words",
                "test_what_is_kept_from_half_of_the_table_reaches_it_by_the_others",
            ),
            (
                "test_sim_cheats_words",
                "test_two_true_turns_for_two_parts_of_the_table_tell_the_cheat_nothing",
            ),
            (
                "test_sim_cheats_deck",
                "test_a_false_share_said_before_the_deck_is_shuffled_counts_when_it_is_owed",
            ),
        ),
        ("shares kept from half of the table", "two true turns"),
    ),
    Attack(
        19,
        "a permutation from a weak source",
        (Outcome.NO_GAIN,),
        (
            ("test_secrecy_sources", "test_no_weak_source_is_in_the_path"),
            ("test_secrecy_sources", "test_a_deal_draws_nothing"),
            (
                "test_secrecy_sources",
                "test_the_secret_of_a_match_is_drawn_whole_from_the_system",
            ),
            ("test_secrecy_sources", "test_every_order_of_a_pack_can_come_up"),
            ("test_deck_secrets", "test_all_permutations_are_equally_likely"),
            ("test_deck_secrets", "test_a_draw_that_would_favour_a_place_is_dropped"),
            ("test_deck_secrets", "test_a_permutation_of_a_pack_uses_the_whole_seed"),
        ),
    ),
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

BESIDE = Attack(
    0,
    "what the seat on duty may lie about, or one that would be",
    (
        Fault.WRONG_TERM,
        Fault.BAD_LINK,
    ),
    (FALSE_ENTRY, FALSE_WORD),
    (
        "another term",
        "another chain",
        "an entry of a seat not on duty",
        "an entry of a seat not on duty, far ahead",
        "an ack of the future",
    ),
)
"""Cheating seats that are in the simulator already, of attacks that are not listed above yet."""
