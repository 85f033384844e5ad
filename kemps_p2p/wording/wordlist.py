"""The words of spoken codes and of the three words that name a match on every screen.

They are chosen to be said and heard: plain English nouns and colours, no two with the same first four letters
and no two that differ in one letter. Part of the protocol: another list would make other words of a match.
Section "Words of a match" of protocol.md.
"""

_TEXT = (
    "acorn actor agent album alley almond amber anchor angel ankle anvil apple apron arena arrow artist "
    "aspen atlas attic autumn avenue badge bagel bakery balcony bamboo banana banjo barber barley barrel "
    "basil basket beacon beaver bedroom beetle bench berry bicycle birch biscuit bishop blanket blossom "
    "bonfire boots border bottle boulder bracelet branch bread breeze brick bridge broom brush bubble "
    "bucket buffalo bugle bunny butter cabin cable cactus camel canal candle canoe canvas canyon captain "
    "caramel carbon cargo carpet carrot castle cedar cello cement cereal chain chalk chapel cheese cherry "
    "chess chicken chimney church cinema circle citrus clarinet cliff clock clover clown coach cobalt "
    "coconut coffee collar comet compass concert copper coral corner cotton cousin cradle crane crayon "
    "cricket crocus crystal curtain cushion cycle cymbal dahlia daisy dancer daylight delta denim desert "
    "diamond diary dinner doctor dolphin domino donkey dough dragon drawer dream dress dust eagle earth "
    "easel echo eclipse elbow elephant emerald engine envelope evening fabric fairy falcon family farmer "
    "feather fence fiddle field finger fjord flag flame flannel flint floor flute forest fossil fountain "
    "freckle frost fruit funnel galaxy gallery garden garlic gazelle giant giraffe glacier glass globe "
    "gold goose grain granite grape gravel green grill guitar hammer harbor harvest hazel hedge helmet "
    "heron hockey holly honey horse hotel hunter iceberg icing igloo indigo iris iron island ivory jacket "
    "jaguar jasmine jelly jersey jewel jigsaw journal judge juggler juice jungle juniper kangaroo kayak "
    "kennel kettle keyboard kimono kingdom kiosk kitten knee knight koala label ladder lagoon lantern "
    "laser lattice laundry lavender lemon lentil leopard letter library lilac lily linen lion lizard "
    "llama lobster logbook lotus lounge lumber lunch lynx lyric magnet mango mantle maple marble market "
    "meadow melon memory menu meteor midnight milk mineral minnow mirror monday moon mosaic motor mouse "
    "muffin mural museum music mustard napkin navy nectar needle neon nest nickel notebook nurse nylon "
    "oasis oboe ocean octopus office olive onion opal opera orange orbit orchard organ otter oven oxygen "
    "oyster paddle paint palace panda panther papaya paper parade pasta patch pavement peach peanut "
    "pebble pelican pencil penguin pepper petal piano picnic pigeon pillow pilot pioneer pirate pizza "
    "planet plaster pocket poplar poppy portrait potato powder prairie prism pulley pumpkin puppet purple "
    "puzzle pyramid quail quarry queen quilt quiver rabbit raccoon radar radio railway raisin raven "
    "record ribbon river robin rowboat rudder saffron sailor salmon sapphire satin saturn sauna scarf "
    "school scooter season shadow shark sheep shell shirt shoulder silver slipper smoke snail snow sonata "
    "spade spider spinach sponge spoon spring spruce square squirrel stable stadium stair stamp statue "
    "steam stone stork street studio sugar suitcase summer surf swallow swan sweater swing symphony syrup "
    "tape target tartan teacup teapot temple tennis theatre thimble thistle thunder ticket tiger timber "
    "toast tomato tongue topaz torch tortoise towel tractor tram treasure tree triangle trophy truck "
    "trumpet tulip tundra turbine turkey turtle twig unicorn uniform urchin vanilla vault velvet venus "
    "veranda vessel victory village vineyard violet visitor volcano voyage waffle wagon wallet walnut "
    "walrus wardrobe water wedding whale wheat wheel whisker winter wolf yacht yellow yoga yogurt zebra "
    "zenith zephyr zigzag zinc zipper"
)

WORDS: tuple[str, ...] = tuple(_TEXT.split())
"""512 words, in alphabetical order."""
