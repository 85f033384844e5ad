"""How things are done on a screen, for the lessons of a first deal."""

from kemps_p2p.wording.tutorial import Ways

ON_SCREEN = Ways(
    agree="press Shift and its letter, and {partner} alone learns what it will mean",
    gesture="g, or the capital letter of {}",
    ready="g",
    call="Press k twice now",
    counter="press c twice",
    counter_named="press c, then the key of the name",
    swap="2, then a, swaps card 2 of the middle for the first of your hand",
    put="a puts the first card of your hand down, then 2 picks card 2 of the middle up",
    decline="press Space",
)
