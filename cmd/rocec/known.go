package main

// known is one way a RoCE fabric is known to go wrong, and what rocec does about it: the codes that speak of it, or why
// it cannot happen in what rocec writes.
type known struct {
	id    string
	what  string
	other []string // codes beside those of the checks, which name their rows themselves
	why   string   // beside the codes, or instead of them
}

// knownList is a run of them from one kind of source.
type knownList struct {
	title, source string
	rows          []known
}

// knowns is everything that is known to go wrong, in the order of docs/known.md.
var knowns = []knownList{
	{
		"What `netq check roce` tests", "The six tests of NVIDIA NetQ's `netq check roce` (validation tests reference of the NetQ manual), " +
			"which compare switches with each other.",
		[]known{
			{"0", "mode: lossy or lossless alike everywhere", nil, "one fabric has one mode; a device set by hand is held to it"},
			{
				"1", "classification: DSCP, pools, port groups, traffic classes",
				[]string{"cumulus-trust", "conf-value-twice", "conf-value-unmapped"},
				"maps are written from one source",
			},
			{"2", "congestion control: ECN and RED thresholds", []string{"cumulus-ecn-groups", "conf-ecn-thresholds"}, ""},
			{"3", "flow control: PFC", []string{"host-not-member", "conf-pfc-half", "conf-sizes", "conf-headroom"}, ""},
			{"4", "ETS: shares of bandwidth", []string{"cumulus-weights", "conf-weights"}, "hosts get the shares of the switches"},
			{"5", "what belongs to RoCE beside these", nil, ""},
		},
	},
	{
		"What makes a path lossy or lets it lock", "Semantics of PFC fabrics: IEEE 802.1Qbb, the DCQCN paper, reports of deadlocks from " +
			"production, RFC 7938.",
		[]known{
			{"K1", "PFC for a priority is on at one end of a link only", []string{"host-not-member"}, "rocec writes both ends from one description"},
			{"K2", "a port sends pauses its peer does not obey, or the reverse", []string{"conf-pfc-half"}, ""},
			{"K3", "the field a device trusts is not the field that tells the class", []string{"cumulus-trust", "conf-two-trusts"}, ""},
			{
				"K4", "maps of host and switches do not compose to one class",
				[]string{"host-pcp", "conf-cos-moved"},
				"one number everywhere: the cos of the group",
			},
			{
				"K5", "a class changes on the way without being declared",
				[]string{"conf-remark"},
				"rocec writes remarking off; a declared change is `bounce`",
			},
			{
				"K6", "lossy traffic in a lossless buffer, or two lossless classes in one",
				[]string{"cumulus-lossless-groups", "conf-lossless-shared"},
				"",
			},
			{"K7", "CNPs travel in the class they are about, or are not served first", []string{"conf-cnp-bulk"}, ""},
			{"K8", "RoCEv1 across a routed hop or between subnets", nil, ""},
			{"K9", "MTU too small somewhere on the way, or headroom for smaller frames than the port takes", nil, "headroom counts the port's MTU"},
			{
				"K10", "flooded or unmarked frames become lossless",
				[]string{"conf-lossless-default"},
				"values nobody claims never go to a lossless cos; `routing = \"flooding\"` judges lossless flooding",
			},
			{"K11", "headroom too small for speed, cable and MTU", []string{"cable-length-missing", "conf-headroom"}, "derived for every port"},
			{"K12", "the buffers of all ports exceed the chip", []string{"conf-memory"}, ""},
			{"K13", "more lossless classes than the chip or NIC has", []string{"cumulus-lossless-groups", "conf-lossless-many"}, ""},
			{"K14", "members of a bond or of a redundancy pair set differently", nil, ""},
			{"K15", "no watchdog where a pause storm or a loop is possible", []string{"conf-watchdog"}, "Cumulus Linux has one from 5.x on only"},
			{"K16", "802.3x pause beside PFC", []string{"conf-pfc-and-pause"}, "NICs get pause off wherever PFC is on"},
			{"K17", "no marking at some hop, or marking after pausing", []string{"cumulus-no-ecn", "cumulus-ecn-thresholds"}, ""},
			{"K18", "fast senders to a slow port", nil, "thresholds follow the speed of each port"},
			{"K19", "fewer uplinks than downlinks in a lossless class", nil, ""},
			{
				"K20", "RoCE without a share of its own, or strict",
				[]string{"conf-strict-above", "conf-two-schedulers", "cumulus-other-settings"},
				"",
			},
			{"K21", "a host takes its settings from what the switch advertises", nil, "NICs are set to host-controlled DCBX"},
			{
				"K22", "a tunnel whose outer header loses the class", nil,
				"tunnels are outside of the language: describe the underlay, and copy the DSCP to the outer header",
			},
			{
				"K23", "the routing the proof assumes is not the one in force",
				[]string{"asn-missing"},
				"rocec writes no routing: the assumptions of a proof are printed with it",
			},
			{"K24", "a host passes traffic on", nil, "a host that forwards counts as a switch in the proof"},
			{
				"K25", "standby gateways and fast reroute take turns of their own", nil,
				"not modelled; `routing = \"any\"` or a table of next hops holds them",
			},
		},
	},
	{
		"What is wrong in a traffic.conf", "The quality-of-service chapters of the Cumulus Linux manuals 2.5 to 5.x. `conf-` codes are those " +
			"of `rocec validate --device-config`.",
		[]known{
			{
				"C1", "a port group that is listed and not defined, or the reverse",
				[]string{"conf-group-undefined", "conf-group-unlisted", "conf-group-incomplete"},
				"",
			},
			{"C2", "a cos in no priority group, or in two", []string{"conf-cos-missing", "conf-cos-twice"}, ""},
			{"C3", "a priority group of another name than the release has", []string{"conf-priority-group"}, ""},
			{"C4", "a value of a trusted field without a cos", []string{"conf-value-unmapped"}, "rocec writes complete maps"},
			{"C5", "a value in two cos lists", []string{"conf-value-twice"}, ""},
			{"C6", "cos 3, which the templates reserve for the CPU", []string{"cumulus-cos-3", "conf-cos-3"}, ""},
			{"C7", "cos 7 taken for reserved", nil, "no source says so: it is only the usual member of the strict group"},
			{"C8", "a port in two groups of a feature, or in PFC and link pause", []string{"conf-port-twice", "conf-pfc-and-pause"}, ""},
			{
				"C9", "a lossless cos that is strict, or shares a group that is promised a share",
				[]string{"conf-lossless-strict", "cumulus-weights"},
				"",
			},
			{"C10", "xoff not below the buffer, xon_delta not below xoff", []string{"conf-sizes"}, ""},
			{"C11", "headroom too small", []string{"conf-headroom"}, ""},
			{"C12", "more buffer promised than the chip has", []string{"conf-memory"}, ""},
			{"C13", "ECN thresholds out of order, probability out of range", []string{"conf-ecn-thresholds"}, ""},
			{"C14", "marking that PFC forestalls, or that no queue reaches", nil, ""},
			{"C15", "weights or shares out of range", []string{"conf-weights", "conf-bandwidth"}, ""},
			{"C16", "service pools of more than the whole", []string{"conf-pools"}, ""},
			{"C17", "a shaper whose minimum exceeds its maximum", []string{"conf-shaper"}, ""},
			{
				"C18", "a setting the chip or the release does not have",
				[]string{"cumulus-no-pfc", "cumulus-no-ecn", "cumulus-chip", "conf-foreign-key"},
				"",
			},
			{"C19", "Trident II: marking also drops", []string{"cumulus-ecn-drops"}, ""},
			{"C20", "link pause with cut-through", []string{"cumulus-cut-through", "conf-cut-through"}, ""},
			{"C21", "members of a bond treated differently", nil, "ports of switches are written by what they carry, bond or not"},
			{
				"C22", "RoCEv1 without trusted PCP, RoCEv2 by DSCP without trusted DSCP",
				[]string{"cumulus-trust"},
				"trust is derived from the intents",
			},
			{"C23", "a PCP that goes to a lossless cos of another number", []string{"host-pcp", "conf-cos-moved"}, ""},
			{"C24", "hops that disagree", nil, ""},
			{"C25", "PFC before the pools are split (4.4 and later)", []string{"conf-pools"}, ""},
			{"C26", "PCP values above 7", []string{"conf-value"}, ""},
		},
	},
	{
		"What breaks at the hosts", "The drivers of Linux and MLNX_OFED, rdma-core, the vendors' manuals and set-up scripts.",
		[]known{
			{"N1", "the NIC trusts one field and the switch the other", []string{"host-mixed"}, ""},
			{"N2", "told by PCP, sent untagged", nil, ""},
			{"N3", "told by PCP across a routed hop", nil, ""},
			{"N4", "RoCEv1 and RoCEv2 peers mixed", []string{"host-mixed"}, ""},
			{"N5", "an MTU that falls just below an RDMA MTU, or unequal ones", nil, ""},
			{"N6", "firmware or lldpad decides", nil, "NICs are set to host-controlled DCBX; the host's script stops where lldpad runs"},
			{"N7", "802.3x pause beside PFC", nil, "NICs get pause off wherever PFC is on"},
			{"N8", "a TOS that is not mapped to the lossless priority", nil, ""},
			{"N9", "no TOS at all", []string{"host-tos"}, "RDMA-CM's default and, with MLNX_OFED, that of all connections are written"},
			{"N10", "CNPs in the congested class, or their DSCP unmapped", nil, ""},
			{"N11", "marks that nobody answers or obeys", nil, "np and rp are written for the group"},
			{"N12", "PFC on priorities that carry no RoCE", nil, "the mask is the lossless groups of the port"},
			{"N13", "PFC or shares differ between the ends", nil, "shares of NICs follow the groups' weights"},
			{"N14", "the NIC assumes a cable of 7 m", nil, "the cable's length is written"},
			{"N15", "an application picks the wrong GID", nil, "`rocec gids` names the right index of each intent; `verify` reports one without"},
			{"N16", "a bond that is not a RoCE LAG", []string{"bond-invalid"}, ""},
			{"N17", "settings on one port of a bond only", nil, "every port of a bond is written"},
			{"N18", "the bond's device appears after the settings were written", nil, "a udev rule applies them again"},
			{"N19", "settings change under traffic", nil, "`plan` says what disrupts; a NIC is written only where it differs, one port at a time"},
			{"N20", "a stuck host pauses the fabric", nil, ""},
			{"N21", "RoCE is off on the device", []string{"member-without-roce"}, "switched on for members, and verified"},
			{"N22", "ECN bits in a TOS", nil, ""},
			{"N23", "autonegotiation of pause", nil, "pause is written for receive and transmit; autonegotiation is left alone"},
		},
	},
	{
		"What else stays silent", "Slips that no list of RoCE faults names.",
		[]known{
			{"X1", "members that have no way to each other", nil, ""},
			{"X2", "two devices declared at one address", nil, ""},
			{"X3", "PFC for a cos that no packet reaches", []string{"conf-pfc-unreachable"}, "the map and the mask come from one group"},
			{
				"X4", "a device somebody has to set up, and nobody does",
				[]string{"host-not-member", "host-family", "no-target"},
				"`by_hand` says that somebody does",
			},
			{"X5", "a statement about the fabric that is not so", nil, ""},
			{"X6", "what is declared and takes part in nothing", nil, ""},
			{"X7", "cables that are not where the design has them", nil, ""},
		},
	},
}
