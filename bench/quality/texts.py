"""A small library with known pairs, written for this purpose: a book in two files, a retelling, and strangers.

Each chapter stands for one subject. Its first half is in the first volume and its second half in the
second, the retelling says the first half in other words, and the commonplace book quotes some of it. Two
passages belong together if, and only if, they are of the same chapter. The strangers belong to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chapter:
    first: str
    second: str
    retold: str


CHAPTERS = (
    Chapter(
        "The lock keeper rose before dawn to wind the paddles of the upper gates. Each lock takes eleven minutes "
        "to fill when the pound above is high, and twice as long in a dry summer. He kept a slate beside the "
        "balance beam and chalked the name of every boat, its cargo and the hour at which it left the chamber.",
        "When both gates leak, the chamber never quite levels and the beam will not move. The keeper then throws "
        "ashes into the water above the mitre; the current carries them into the cracks, and the lock holds for "
        "another day. New gates of oak were promised every winter, and the keeper chalked that down as well.",
        "Before sunrise the man in charge of the lock was already turning the sluices at the top gates. Filling "
        "the chamber needed about a dozen minutes with plenty of water and far longer in drought. On a slate by "
        "the beam he noted which boats passed the lock, what they carried and when they went.",
    ),
    Chapter(
        "Bees were the rector's passion. He kept nine straw hives against the south wall of the orchard and "
        "could tell by the hum alone whether a colony was about to swarm. In May he walked behind the swarm with "
        "a sheet and a saucepan, and the whole village looked up from its gardens to see where the queen would "
        "settle.",
        "A good hive gave thirty pounds of honey and two of wax. The rector never smoked his bees to death for "
        "the comb, as his neighbours did, but drove them with patient tapping into an empty skep. The honey was "
        "sold at the church door, and the wax became candles that smelled of clover.",
        "The parson loved his bees above all. Nine hives made of straw stood at the sunny side of the orchard, "
        "and from their humming he knew when a swarm would leave. Every spring he followed it through the "
        "village with a cloth and a pan until the queen and her bees came to rest.",
    ),
    Chapter(
        "The flood of 1852 came in the night after eleven days of rain. Water stood four feet deep in the "
        "schoolroom, and the desks floated out through the windows. Families climbed to their lofts with the "
        "children and the hens, and at daybreak men rowed along the high street calling at every chimney.",
        "It took until March before the last cellar was dry. The flood had left a line of brown silt on every "
        "wall, and the mason cut a mark into the church tower at its height. Wells were spoiled by the water, "
        "and the county sent barrels for drinking. Nobody in the valley built close to the river again.",
        "After a week and a half of steady rain the river burst into the village by night. The school stood in "
        "water to a man's chest and its benches drifted away. People fled under their roofs with poultry and "
        "children, and in the morning boats went down the flooded main street from house to house.",
    ),
    Chapter(
        "Baking began at two in the morning. Dough that had risen all night in wooden troughs was cut, weighed "
        "and shaped while the brick oven was fired with bundles of gorse. The baker knew the heat by throwing a "
        "pinch of flour on the floor of the oven: if it browned while he counted ten, the loaves went in.",
        "Rye and wheat were mixed according to the harvest, and in poor years beans were ground into the flour. "
        "Crusts that came back unsold were soaked and went into the next dough. On Saturdays the households "
        "brought their own pies to the baker, each marked with a letter of pastry, and fetched them hot after "
        "church.",
        "The bakery came to life in the middle of the night. Overnight the dough had risen in its troughs; now "
        "it was divided and formed into loaves, and gorse burned in the brick oven. A little flour thrown inside "
        "told the baker whether the oven was hot enough for bread: it had to turn brown by the count of ten.",
    ),
    Chapter(
        "The telescope in the schoolmaster's attic was a brass refractor of three inches. On clear nights he "
        "showed the children the moons of Jupiter and made them draw what they saw: four sparks that changed "
        "their order from one evening to the next. Saturn with its ring made even the smith's son silent.",
        "He measured the passage of stars across a thread in the eyepiece and from it set the village clock. In "
        "November of the great meteors he stood on the roof till dawn and counted two thousand shooting stars. "
        "His notebook of observations, moons and eclipses went to the observatory after his death.",
        "Under the roof of the teacher's house stood a three-inch brass telescope. When the sky was clear, "
        "pupils could look at Jupiter and sketch its four moons, whose places differed every night. Nothing "
        "hushed the blacksmith's boy like the sight of Saturn's ring.",
    ),
    Chapter(
        "Sheep were washed in the brook ten days before shearing, so that the grease could rise again into the "
        "wool. A shearer with a good edge clipped forty fleeces between breakfast and dusk. Each fleece was "
        "rolled with the flesh side out, tied with a twist of its own wool and thrown up to the packer in the "
        "loft.",
        "The wool was sorted by the length of its staple: the shoulder for fine cloth, the britch for carpets. "
        "Dealers came from the north and plunged their arms into the sacks up to the elbow. A wet June could "
        "halve the price of the clip, and then the flock was sold at the autumn fair instead.",
        "Ten days ahead of the shearing the flock was driven through the stream for washing. A skilled man with "
        "sharp blades took the wool from forty sheep in a day. He rolled up every fleece, bound it with a strand "
        "of wool and tossed it to the one who packed the sacks upstairs.",
    ),
    Chapter(
        "The smallpox reached the valley with a pedlar in the spring. The doctor rode from farm to farm with a "
        "quill of lymph and scratched the arms of everybody who would let him. Half the parish refused "
        "vaccination, for the tanner preached that it would give children the faces of cows.",
        "By midsummer thirty-one were dead of the pox, and not one of them had been vaccinated. The doctor wrote "
        "the figures on the church door without a word. Clothing of the sick was burned behind the barn, and the "
        "school stayed shut till the last fever patient was out of danger.",
        "A travelling trader carried smallpox into the parish. From house to house went the doctor, scratching "
        "lymph into every arm that was held out to him. Many would have no vaccination, since according to the "
        "tanner the children would grow to look like cattle.",
    ),
    Chapter(
        "The organ was built in Bristol and came up the canal in forty crates. Its bellows were worked by two "
        "boys who were paid a penny a service and played cards between the psalms. The great pipes were of tin, "
        "the smallest no longer than a finger, and mice loved the leather of the stops.",
        "Tuning took a whole week, because the reeds went flat with every frost. A tuner lay inside the organ "
        "among the pipes while his wife held the keys down one by one. When the pedal cornet was finally in "
        "tune, the choir sang an anthem of Purcell, and people heard it beyond the mill.",
        "Forty boxes on a barge brought the organ from Bristol. A pair of lads pumped the bellows for a penny "
        "and had their game of cards while the sermon lasted. Its largest pipes were tin, the tiniest as short "
        "as a finger, and the leather parts were eaten by mice.",
    ),
    Chapter(
        "Eels were caught in wicker traps sunk below the mill race on moonless nights in autumn, when they run "
        "down to the sea. The miller's daughter could skin one in three strokes. Smoked over alder they kept the "
        "whole winter and were accepted as rent by the manor.",
        "The right to set eel traps belonged to four families, and there was bad blood over every yard of the "
        "bank. In the year of the great eel run they took nine hundredweight in two nights and had no salt left. "
        "Since the weir was raised, the eels have become as rare as salmon.",
        "On dark autumn nights, when eels travel towards the sea, people lowered traps of wicker beneath the "
        "mill. Three cuts sufficed the girl at the mill to take the skin off an eel. Smoked above alder wood "
        "they lasted till spring, and even the lord of the manor took them as payment.",
    ),
    Chapter(
        "The railway surveyors came with poles and chains and were met with pitchforks. They promised that coal "
        "would cost half as much and that milk would reach the city the same morning. The squire sold them his "
        "worst meadow for the station at the price of his best.",
        "On the day the line was opened a locomotive hung with laurel pulled six carriages of guests over the "
        "viaduct. Cows broke through hedges at the whistle. Within two years the coaching inn was a ruin, and "
        "the station master, with his watch and timetable, was the most important man in the parish.",
        "When the men who measured the line for the railway arrived with their chains, farmers received them "
        "with forks. Coal was to become cheap, they said, and trains would carry milk to town within hours. The "
        "squire let them have a poor meadow for their station and charged them for a rich one.",
    ),
    Chapter(
        "Paper was made from rags at the lower mill. Women sorted linen from cotton and cut off the buttons, "
        "hammers beat the cloth to pulp for two days, and the vatman dipped his mould and shook it once each "
        "way. One sheet took him eight seconds; the watermark was a heron.",
        "The wet sheets were pressed between felts, hung over ropes of cow hair in the drying loft and sized "
        "with a broth of hide. Good paper rattled when it was shaken. When rags grew dear in the war, the mill "
        "tried straw, and the paper came out yellow and broke at the fold.",
        "In the lower mill old rags were turned into paper. Linen and cotton were parted by women, hammers "
        "pounded the pieces into pulp for two days, and a man dipped his mould into the vat, shaking it "
        "lengthways and across. Every eight seconds he had a sheet with a heron as its watermark.",
    ),
    Chapter(
        "The chess club met on Thursdays in the back room of the Anchor. Its champion was the ferryman, who "
        "could not read but remembered every game he had lost. He opened with the king's gambit against everyone "
        "and gave up pawns as if they were coppers.",
        "A match by post against the garrison lasted fourteen months, one move a week. When the colonel at last "
        "resigned, a rook down in a hopeless endgame, the club bought a board of walnut and boxwood. The "
        "ferryman was asked for the secret of his chess and said that he only looked where it hurt.",
        "Each Thursday the players of chess sat down behind the bar of the Anchor. The best of them, a ferryman "
        "without letters, knew by heart all the games that had gone against him. The king's gambit was his "
        "opening with anyone, and he sacrificed pawns like small change.",
    ),
)

#: Chapters of which the commonplace book has a sentence or two, word for word, among remarks of its own.
QUOTED = (0, 3, 6, 9)

STRANGERS = (
    "Reset the router by holding the button for ten seconds. The light turns amber while the firmware is checked "
    "and green when the network is up. If the address cannot be obtained, switch off the firewall and try "
    "another cable.",
    "The tenant shall pay the deposit on signing this agreement. The landlord shall return it within thirty days "
    "after the end of the tenancy, less the cost of repairs other than fair wear and tear.",
    "Whisk the egg yolks with sugar until pale, fold in the mascarpone and then the beaten whites. Dip each "
    "biscuit in strong coffee, lay them in a dish and dust the top with cocoa before serving.",
    "Revenue for the third quarter rose by seven per cent to 41 million, driven by subscriptions. Operating "
    "margin fell because of currency effects, and the board proposes an unchanged dividend.",
    "The enzyme binds its substrate in a cleft between two domains. Mutation of the histidine residue abolished "
    "catalysis, while binding affinity, measured by fluorescence, remained the same.",
    "Goalkeeper Marín saved a penalty in stoppage time, and the home side survived with ten players. The coach "
    "praised the defence and announced that the striker would miss the cup final with an injured knee.",
    "To declare an abstract class, derive from the base and mark the method. The compiler reports an error if a "
    "subclass is instantiated without implementing it; generics may be bounded by several interfaces.",
    "A cold front crosses the islands on Friday with gusts up to gale force and heavy showers. Behind it "
    "pressure rises quickly, and the weekend will be bright with night frost in sheltered places.",
    "Passengers must present a valid passport at the gate. Cabin baggage may not exceed eight kilograms; liquids "
    "are to be carried in a transparent bag. Boarding closes twenty minutes before departure.",
    "The painting shows a woman pouring tea beside a window, in the blue and ochre that the artist favoured "
    "after her journey to Morocco. Cleaning revealed a second figure under the curtain.",
    "The committee heard evidence on the draft bill. Members asked whether the regulator would have power to "
    "fine platforms, and the minister replied that an amendment would be tabled at the report stage.",
    "Warm up for five minutes, then run four intervals of three minutes at threshold pace with ninety seconds of "
    "easy jogging. Stretch the calves afterwards and drink half a litre of water.",
)

#: Remarks of the commonplace book's owner, each in front of one quotation.
REMARKS = (
    "Copied out at my grandmother's table, from the old book with the green spine.",
    "This I read aloud to my sister, who laughed and asked for more.",
    "The hand is mine, the words are not; see the volume on the shelf.",
    "Noted on a rainy Sunday for want of better things to do.",
)
