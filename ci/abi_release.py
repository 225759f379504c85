# SPDX-License-Identifier: Apache-2.0
"""The protocol of a release as data, and what a later one may change of it (docs/design/releases.md). For ci/check-abi."""

import json
import os
import re
import subprocess

import tree

RELEASES = "tests/abi/releases"
CALLS = "frontend/protocol/calls.h"
CHANNEL = "frontend/protocol/channel.h"
VERSION_1 = "domA/ring/version_1.h"
# Bytes of the call's own follow these requests in the slot: a field behind the struct would lie in them.
INLINE = ("launch", "launch_with_attributes", "graph_add")
PACKET_BYTES = 4096  # of the handshake, at most
CALLS_OF_SERVICE = 256


def constant(name, header=CHANNEL):
    found = re.search(rf"^#define {name} (\d+)u$", tree.read(header), re.M)
    return int(found[1]) if found else None


def calls(headers, report):
    """{name: [number, stem, kind, status, handles]} of all services' lists of calls."""
    text = "".join(tree.without_comments(tree.read(header)).replace("\\\n", " ") for header in headers)
    text = re.sub(r"HANDLE\((\w+), ([\w.]+)\)", r"\1(\2)", text)
    row = r"CALL\((\d+),\s*(\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*((?:\w+(?:\([\w.]+\))?\s*)+)\)"
    found = {m[2]: [int(m[1]), m[3], m[4], m[5], " ".join(m[6].split())] for m in re.finditer(row, text)}
    if len(found) != len(re.findall(r"\bCALL\(\d", text)) or not found:
        report.add(CALLS, 1, "a row of a list of calls is written in a way that ci/check-abi does not read")
    return found


def enumerators(headers):
    found = {}
    for header in headers:
        for body in re.findall(r"^enum \w+ \{(.*?)\}", tree.without_comments(tree.read(header)), re.S | re.M):
            found |= {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)u?\b", body)}
    return {name: value for name, value in found.items() if not name.endswith("_ALL")}  # a mask of all the others


def described(headers, layout, report):
    """The protocol as it is. `headers`: {header: [(struct, [field])]}; `layout`: {(struct, field): (offset, bytes)}."""
    structs = {name: {"bytes": layout[name, None][1], "fields": {field: list(layout[name, field]) for field in fields}}
               for header in headers for name, fields in headers[header]}
    return {"version": constant("PEGASUS_PROTOCOL_VERSION"), "structs": structs, "calls": calls(headers, report),
            "enumerators": enumerators(headers)}


def write(number, now):
    """The present protocol as that of release `number`, with the commit that has it."""
    git = ["git", "-C", tree.ROOT, "-c", f"safe.directory={tree.ROOT}", "rev-parse", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    parts = [f' "version": {number}', f' "commit": "{commit}"']
    for part in ("structs", "calls", "enumerators"):
        rows = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in now[part].items())
        parts.append(f' "{part}": {{\n' + ",\n".join(rows) + "\n }")
    os.makedirs(os.path.join(tree.ROOT, RELEASES), exist_ok=True)
    with open(os.path.join(tree.ROOT, path_of(number)), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


def path_of(number):
    return f"{RELEASES}/{number}.json"


def last(report):
    """The number of the last release and what it says; None if there is none."""
    folder = os.path.join(tree.ROOT, RELEASES)
    numbers = [int(name[:-5]) for name in os.listdir(folder) if re.fullmatch(r"\d+\.json", name)] if os.path.isdir(folder) else []
    if not numbers:
        report.add(RELEASES, 1, "no release is described here, so nothing is compared; ci/check-abi --release N writes one")
        return None
    return json.loads(tree.read(path_of(max(numbers))))


def may_grow(name, now):
    """How large the struct may become; 0: not at all."""
    stems = {call[1] for call in now["calls"].values()}
    found = re.fullmatch(r"pegasus_(\w+)_(request|reply)", name)
    if name in ("pegasus_connect_request", "pegasus_connect_reply"):
        return PACKET_BYTES
    if not found or found[1] not in stems or (found[2] == "request" and found[1] in INLINE):
        return 0
    return constant("PEGASUS_REQUEST_BODY" if found[2] == "request" else "PEGASUS_REPLY_BODY")


def kept(field, place, fields):
    """The field is where it was, or it was reserved and others divide its bytes exactly."""
    if fields.get(field) == place:
        return True
    if not field.startswith(("reserved", "padding")):
        return False
    begin, end = place[0], place[0] + place[1]
    inside = sorted(p for p in fields.values() if p[0] < end and p[0] + p[1] > begin)
    return bool(inside) and inside[0][0] == begin and sum(inside[-1]) == end


def compare_struct(name, before, now, report):
    file = next((f for f in ("handshake", "channel", "totals", "xen") if re.search(
        rf"^struct {name} ", tree.read(f"frontend/protocol/{f}.h"), re.M)), "calls")
    header = f"frontend/protocol/{file}.h"
    after = now["structs"].get(name)
    if after is None:
        return report.add(header, 1, f"struct {name} of release {before['release']} is missing")
    for field, place in before["fields"].items():
        if not kept(field, place, after["fields"]):
            report.add(header, 1, f"{name}.{field} was at {place[0]}, {place[1]} bytes, in release {before['release']}: "
                                  f"a field stays where it is, with its size and name")
    limit = may_grow(name, now)
    if after["bytes"] < before["bytes"]:
        report.add(header, 1, f"struct {name} had {before['bytes']} bytes in release {before['release']}, and has {after['bytes']}")
    elif after["bytes"] > before["bytes"] and after["bytes"] > limit:
        allowed = f"may have {limit} at most" if limit else "may not grow"
        report.add(header, 1, f"struct {name} had {before['bytes']} bytes in release {before['release']}, has {after['bytes']} "
                              f"and {allowed}: use reserved bytes, or add another call")
    return None


def compare_calls(before, now, report):
    for name, row in before["calls"].items():
        if now["calls"].get(name) != row:
            report.add(CALLS, 1, f"call {name} was {row} in release {before['version']} and is {now['calls'].get(name)}: "
                                 "a call keeps its number, name, kind, status and handles")
    last_of = {}  # by service
    for row in before["calls"].values():
        last_of[row[0] // CALLS_OF_SERVICE] = max(row[0], last_of.get(row[0] // CALLS_OF_SERVICE, 0))
    for name, row in now["calls"].items():
        end = last_of.get(row[0] // CALLS_OF_SERVICE, -1)
        if name not in before["calls"] and row[0] <= end:
            report.add(CALLS, 1, f"call {name} has the number {row[0]}: new calls of its service have numbers above {end}, the "
                                 f"last of release {before['version']}")
    if len({row[0] for row in now["calls"].values()}) != len(now["calls"]):
        report.add(CALLS, 1, "two calls have one number")


def check_requests_of_version_1(report):
    """The worker's table of what guests of version 1 write."""
    if constant("PEGASUS_PROTOCOL_OLDEST") != 1:
        return
    if not os.path.isfile(os.path.join(tree.ROOT, path_of(1))):
        report.add(path_of(1), 1, "it is missing, and PEGASUS_PROTOCOL_OLDEST is 1")
        return
    first = json.loads(tree.read(path_of(1)))
    whole = constant("PEGASUS_REQUEST_BODY")
    wanted = {row[0]: whole if row[1] in ("launch", "launch_with_attributes") else first["structs"][f"pegasus_{row[1]}_request"]["bytes"]
              for row in first["calls"].values()}
    table = {int(number): int(size) for number, size in re.findall(r"ROW\((\d+), (\d+)\)", tree.read(VERSION_1))}
    if list(table.items()) != list(wanted.items()):
        wrong = [number for number in wanted if table.get(number) != wanted[number]]
        report.add(VERSION_1, 1, f"the requests of version 1 differ from {path_of(1)}: calls {wrong or list(table)}")


def compare(before, now, report):
    """What the present protocol may not change of the last release's."""
    check_requests_of_version_1(report)
    for name, struct in before["structs"].items():
        compare_struct(name, struct | {"release": before["version"]}, now, report)
    compare_calls(before, now, report)
    for name, value in before["enumerators"].items():
        if now["enumerators"].get(name) != value:
            report.add(CHANNEL, 1, f"{name} was {value} in release {before['version']}")
    same = all(before[part] == now[part] for part in ("structs", "calls", "enumerators"))
    if now["version"] not in (before["version"], before["version"] + 1):
        report.add(CHANNEL, 1, f"PEGASUS_PROTOCOL_VERSION is {now['version']}: the last release's is {before['version']}")
    elif now["version"] == before["version"] and not same:
        report.add(CHANNEL, 1, f"the protocol differs from release {before['version']}: PEGASUS_PROTOCOL_VERSION becomes "
                               f"{before['version'] + 1}")
