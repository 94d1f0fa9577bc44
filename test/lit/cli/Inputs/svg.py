"""svg.py FILE [NAME=COUNT...]: reads a picture of `girih explain
--view=domain`, which must be well-formed XML of SVG's own elements, without
scripts and without references to anything outside. Counts points and the
arrows of each kind, `svg.py x.svg points=25 flow=16`, and prints its texts.
"""

import sys
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"
KNOWN = {"svg", "title", "defs", "marker", "path", "rect", "g", "circle", "text"}

root = tree.parse(sys.argv[1]).getroot()
if root.tag != SPACE + "svg" or root.get("version") != "1.1":
    sys.exit("no SVG 1.1")
counts = {"points": 0, "flow": 0, "anti": 0, "output": 0}
numbers = []
for element in root.iter():
    name = element.tag.removeprefix(SPACE)
    if name not in KNOWN:
        sys.exit(f"an element {element.tag}")
    for key, value in element.attrib.items():
        outside = "url(" in value and "url(#tip-" not in value
        if key.startswith("on") or "href" in key or outside:
            sys.exit(f"{name} has {key}={value}")
    if name == "g":
        counts["points"] += 1
        numbers.append(int(element.find(SPACE + "text").text))
    title = element.find(SPACE + "title")
    if name == "path" and title is not None:
        counts[title.text.split()[0]] += 1
        print("arrow", title.text)
    if name == "text":
        print("text", element.text)
    if name == "g":
        print("point", title.text, "is", numbers[-1])
if sorted(numbers) != list(range(1, len(numbers) + 1)):
    sys.exit(f"the numbers are {sorted(numbers)}")
for wanted in sys.argv[2:]:
    name, _, count = wanted.partition("=")
    if counts[name] != int(count):
        sys.exit(f"{counts[name]} of {name}, expected {count}")
