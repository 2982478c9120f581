package compiler

import "github.com/rocec/rocec/lang/diag"

// What can be wrong with a table of next hops, beside its form.
var (
	topicTableName = &diag.Topic{Code: "table-name", Summary: "a name in the table of next hops leads nowhere", Doc: `
The table of next hops (routing = "table") names a switch, a host, an interface or a destination
that the fabric does not have, or gives an address that is none: a route the proof would miss.
Names are those of the fabric, which need not be the names the switches call themselves. A
destination is one of

    "192.0.2.0/26"         a prefix: every interface with an address in it (ip of its nic block, or
                           "addresses")
    "192.0.2.1"            an address, or a MAC ("02:00:00:00:00:01") of "addresses"
    "gpu1", "gpu1:ens1f0"  a host, or one interface or bond of it
    "leaf1"                everything that hangs on that switch

Well-formed prefixes and addresses that no interface has (loopbacks, management) are no mistake and
are skipped.

Example:

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["swp31"] }],
        "leaf2": [{ "to": "192.0.2.0/26", "ports": ["swp31"] }],
        "spine1": [
          { "to": "leaf01", "ports": ["swp1"] },
          { "to": "leaf02", "ports": ["swp2"] }
        ]
      }
    }

Fix: write the names of the fabric: leaf1 and leaf2.

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["swp31"] }],
        "leaf2": [{ "to": "192.0.2.0/26", "ports": ["swp31"] }],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp2"] }
        ]
      }
    }
`}

	topicTableTwice = &diag.Topic{Code: "table-duplicate", Summary: "the table of next hops says a thing twice", Doc: `
A switch has two entries for one destination, or an address is given to two interfaces. Which of
them counts could not be said. "192.0.2.1" and "192.0.2.1/32" are one destination, and so are
"192.0.2.77/26" and "192.0.2.64/26".

Example:

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [
          { "to": "192.0.2.64/26", "ports": ["swp31"] },
          { "to": "192.0.2.77/26", "ports": ["swp31"] }
        ],
        "leaf2": [{ "to": "192.0.2.0/26", "ports": ["swp31"] }],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp2"] }
        ]
      }
    }

Fix: one entry for a destination; next hops of equal cost stand in it side by side, as in
"ports": ["swp31", "swp32"].
`}

	topicTablePort = &diag.Topic{Code: "table-port", Summary: "a next hop is no port traffic could leave by", Doc: `
A next hop names a port that has no cable in the fabric, or one whose cable ends at a host that is
neither the destination nor forwards. Traffic could not go that way, so the table is of another
fabric, or of another day.

Example:

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["bond31"] }],
        "leaf2": [{ "to": "192.0.2.0/26", "ports": ["swp31"] }],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp2"] }
        ]
      }
    }

Fix: bonds, bridges and VLAN interfaces are written as the ports they use; the programs
in docs/tables.md do that. A route that leaves the fabric, or drops, has no ports: "ports": [].
`}

	topicTableMissing = &diag.Topic{Code: "table-switch-missing", Summary: "the table of next hops leaves a switch out", Doc: `
A switch (or host that forwards) has a lossless link to another one, and the table of next hops says
nothing of it. Traffic that comes to it could go anywhere, so no proof could be made.

Example:

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["swp31"] }],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp2"] }
        ]
      }
    }

Fix: add its entries. A switch that really forwards nothing but to its own hosts has an
empty list.

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["swp31"] }],
        "leaf2": [],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp2"] }
        ]
      }
    }
`}

	topicTableTooLarge = &diag.Topic{Code: "table-too-large", Summary: "the table of next hops is too large to follow", Doc: `
Destinations whose entries are the same on every switch count as one. This table tells so many
destinations apart, on so many switches, that following each would take more memory than is
sensible: more than 32 million pairs.

Example: entries for the single addresses of 65,536 hosts on each of 1,024 switches, as host routes
give them.

    { "to": "10.0.0.1/32", "ports": ["swp31"] },
    { "to": "10.0.0.2/32", "ports": ["swp31"] },
    { "to": "10.0.0.3/32", "ports": ["swp31"] }

Fix: leave out entries for single addresses where a prefix, a host or a switch says the
same.

    { "to": "10.0.0.0/26", "ports": ["swp31"] }
`}

	topicRoutingLoop = &diag.Topic{Code: "routing-loop", Summary: "the next hops go round in a circle", Doc: `
For some destination, switches of the table send traffic to each other in a circle. Frames go round
until their TTL is used up, so a little traffic fills every link of the circle; lossless traffic
stops for good once its rate exceeds the rate of the links divided by the number of rounds (two
switches and a TTL of 64: a thirty-second of it). The switches are named in order, from the first by
name.

Example:

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["swp31"] }],
        "leaf2": [{ "to": "192.0.2.0/26", "ports": ["swp31"] }],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp1"] }
        ]
      }
    }

Fix: correct the route on the switch that sends traffic back (here spine1, whose way to
leaf2 is swp2). A table collected while routes were changing can show a loop that was never there at
one time: collect it again.
`}

	topicNoRoute = &diag.Topic{Code: "no-route", Summary: "a switch has no route to a member", Doc: `
Traffic between members of an intent comes to a switch that, by the table of next hops, has no entry
for the receiver, or one without ports. It drops there: no PFC loop comes of it, but the members do
not reach each other.

Example:

    {
      "format_version": "1.0",
      "switches": {
        "leaf1": [{ "to": "192.0.2.64/26", "ports": ["swp31"] }],
        "leaf2": [],
        "spine1": [
          { "to": "leaf1", "ports": ["swp1"] },
          { "to": "leaf2", "ports": ["swp2"] }
        ]
      }
    }

Fix: often the address of an interface is not known, so that the prefix that is there
does not fit it: give it by ip in the nic block, or under "addresses" in the file. Otherwise the
route is missing on the switch.
`}
)
