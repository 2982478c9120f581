package main

import "strings"

// faults is the table of [TestFaults].
var faults = []fault{
	// Traffic and its paths.
	{
		code: "roce-members", base: "rack-v1-pfc", edit: []string{"[host.store]", `["store1"]`}, at: `roce "nvme"`,
		more: []string{"host-not-member", "nic-no-intent"},
	},
	{code: "roce-members", base: "pods-ebgp", edit: []string{"65201 + self.index", "65201"}, at: "host.gpu"},
	{code: "roce-version-mix", base: "bonded-pair", edit: []string{`"e810-xxv"`, `"connectx-3"`}, at: "host.client"},
	{
		code: "roce-v1-routed", base: "storage-and-training", edit: []string{"rack1-n[1-8]:ens1f0\"]", "rack[1-2]-n[1-8]:ens1f0\"]"},
		at: `roce "nvme"`, more: []string{"ignore-unused"},
	},
	{code: "roce-v1-no-vlan", base: "rack-v1-pfc", edit: []string{"  vlan      = 100\n", ""}, at: `roce "nvme"`},
	{code: "roce-v1-not-lossless", base: "rack-v1-pfc", edit: []string{"  lossless = true\n", ""}, at: "cos_group.storage"},
	{code: "roce-v2-no-ecn", base: "pods-ebgp", edit: []string{"  ecn {}\n", ""}, at: "cos_group.rdma"},
	{code: "roce-v2-no-dscp", base: "pods-ebgp", edit: []string{"  dscp     = [\"af31\"]\n", ""}, at: "cos_group.rdma"},
	{code: "roce-v2-no-cnp", base: "pods-ebgp", edit: []string{"  cnp       = cos_group.cnp\n", ""}, at: `roce "training"`},
	{
		code: "up-down-no-path", base: "pods-ebgp", edit: []string{`routing  = "ebgp"`, `routing = "up-down"`, "tier    = 3", "tier = 1"},
		at: `roce "training"`,
	},

	// Classes.
	{
		code: "cnp-in-lossless-group", base: "pods-ebgp", edit: []string{"cnp       = cos_group.cnp", "cnp = cos_group.rdma"},
		at: "cos_group.rdma",
	},
	{code: "lossless-default", base: "rack-v1-pfc", edit: []string{"cos      = 4", "cos = 0", "cos    = 0", "cos = 1"}, at: "0"},
	{
		code: "lossless-default", base: "bonded-pair", edit: []string{`trust        = "dscp"`, "trust = \"dscp\"\n    dscp = { 0 = 4 }"},
		at: "{ 0 = 4 }",
	},
	{code: "dscp-claimed-twice", base: "pods-ebgp", edit: []string{`dscp   = ["cs6"]`, `dscp = ["cs6", 26]`}, at: "26"},
	{code: "cos-claimed-twice", base: "rack-v1-pfc", edit: []string{"cos    = 0", "cos = 4\n  pcp = [0]"}, at: "4"},
	{code: "pcp-claimed-twice", base: "rack-v1-pfc", edit: []string{"cos    = 0", "cos = 0\n  pcp = [0, 4]"}, at: "4"},

	{code: "roce-v2-no-pfc", base: "pods-ebgp", edit: []string{"  lossless = true\n", ""}, at: `cos_group "rdma"`},
	{code: "roce-twice", base: "pods-ebgp", edit: []string{
		"",
		"roce \"verbs\" {\n  version = 2\n  cos_group = cos_group.rdma\n  cnp = cos_group.cnp\n  members = [host.gpu]\n}",
	}, at: `roce "verbs"`},
	{
		code: "nic-no-intent", base: "pods-ebgp", edit: []string{"[host.gpu]", `["p1-gpu[1-2]", "p2-gpu1"]`}, at: `nic "ens1f0"`,
		more: []string{"host-not-member"},
	},

	// Cables.
	{code: "switch-not-cabled", base: "pods-ebgp", edit: []string{`"core[1-2]"`, `"core[1-3]"`}, at: "core[1-3]"},
	{code: "uplinks-uneven", base: "clos-v2-ecn", edit: []string{
		`mesh "uplinks"`, `link "uplinks"`,
		`lower  = "leaf[01-04]:swp[31-${30 + var.spines}]"`, `a = "leaf[01-04]:swp[31-32]"`, `upper  = "spine[1-${var.spines}]:swp[1-4]"`,
		`b = "spine1:swp1,spine2:swp1,spine1:swp2,spine2:swp2,spine1:swp3,spine2:swp3,spine1:swp4-5"`,
	}, at: "leaf[01-04]"},
	{code: "link-bond", base: "bonded-pair", edit: []string{`length = "5m"`, "length = \"5m\"\n  bond = true"}, at: "true"},

	// PFC loops.
	{
		code: "bounce-to-itself", base: "clos-v2-ecn", edit: []string{"  ecn {}\n", "  ecn {}\n  bounce = cos_group.rdma\n"},
		at: "cos_group.rdma",
	},
	{code: "pfc-loop", base: "clos-v2-ecn", edit: []string{`"up-down"`, `"any"`}, at: `"any"`},
	{
		code: "pfc-loop-unknown", base: "clos-v2-ecn", edit: []string{`"up-down"`, `"shortest-path"`}, at: `"shortest-path"`,
		args: []string{"--budget", "1us"},
	},
	{
		code: "pfc-loop-cabling", base: "clos-v2-ecn", edit: []string{
			`"up-down"`, `"shortest-path"`, `mesh "uplinks" {`, "mesh \"uplinks\" {\n  planned = true",
		},
		at: "true", more: []string{"pfc-loop-transient"},
	},
	{code: "pfc-loop-transient", base: "clos-v2-ecn", edit: []string{`"up-down"`, `"shortest-path"`}, at: `"shortest-path"`},

	{code: "peer-across-tiers", base: "clos-v2-ecn", edit: []string{`speed  = "100G"`, "speed = \"100G\"\n  peer = true"}, at: "true"},
	{
		code: "allow-unproven-unused", base: "clos-v2-ecn", edit: []string{"  ecn {}\n", "  ecn {}\n  allow_unproven = \"lab only\"\n"},
		at: `"lab only"`,
	},
	{
		code: "allow-deadlock-unused", base: "clos-v2-ecn", edit: []string{"  ecn {}\n", "  ecn {}\n  allow_deadlock = \"lab only\"\n"},
		at: `"lab only"`,
	},

	// Sizes.
	{code: "mtu-mismatch", base: "rack-v1-pfc", edit: []string{"mtu = 9216", "mtu = 1500"}, at: "9000"},
	{
		code: "headroom-too-small", base: "rack-v1-pfc",
		edit: []string{"weight   = 50", "weight = 50\n  pfc {\n    buffer = \"25000B\"\n    xoff = \"10000B\"\n  }"}, at: `"25000B"`,
	},
	{code: "pfc-sizes", base: "rack-v1-pfc", edit: []string{
		"weight   = 50",
		"weight = 50\n  pfc {\n    buffer = \"60000B\"\n    xoff = \"60000B\"\n  }",
	}, at: `"60000B"`},
	{
		code: "ecn-thresholds", base: "pods-ebgp", edit: []string{"ecn {}", "ecn {\n    min = \"150KiB\"\n    max = \"100KiB\"\n  }"},
		at: `"100KiB"`,
	},

	// Settings of devices that other tools configure.
	{code: "pfc-one-end", base: "bonded-pair", edit: []string{`flow_control = "pfc"`, `flow_control = "pfc-tx"`}, at: `"pfc-tx"`},
	{
		code: "pause-couples", base: "clos-v2-ecn", edit: []string{`speed  = "100G"`, "speed = \"100G\"\n  flow_control = \"pause\""},
		at: `"pause"`,
	},
	{code: "pause-unused", base: "clos-v2-ecn", edit: []string{
		`lossless = true`, `lossless = false`, `speed  = "100G"`,
		"speed = \"100G\"\n  flow_control = \"pause\"",
	}, at: `"pause"`},
	{code: "pause-beside-pfc", base: "bonded-pair", edit: []string{`flow_control = "pfc"`, `flow_control = "pause"`}, at: `"pause"`},
	{code: "pfc-on-lossy", base: "bonded-pair", edit: []string{`trust        = "dscp"`, "trust = \"dscp\"\n    pfc = [2, 4]"}, at: "2, 4"},
	{code: "trust-mismatch", base: "bonded-pair", edit: []string{`trust        = "dscp"`, `trust = "pcp"`}, at: `"pcp"`},
	{
		code: "map-mismatch", base: "bonded-pair", edit: []string{`trust        = "dscp"`, "trust = \"dscp\"\n    dscp = { 26 = 3 }"},
		at: "{ 26 = 3 }",
	},
	{
		code: "cnp-lost", base: "bonded-pair", edit: []string{`trust        = "dscp"`, "trust = \"dscp\"\n    dscp = { 48 = 3 }"},
		at: "{ 48 = 3 }",
	},
	{code: "dcbx-firmware", base: "bonded-pair", edit: []string{`dcbx         = "host"`, `dcbx = "firmware"`}, at: `"firmware"`},
	{
		code: "ecn-drops-unmarkable", base: "sonic-leaf-spine", at: "false", more: []string{"dcqcn-off"},
		edit: []string{"  names = \"node[01-32]\"\n", "  names = \"node[01-32]\"\n  by_hand { dcqcn = false }\n"},
	},
	{code: "dcqcn-off", base: "bonded-pair", edit: []string{`trust        = "dscp"`, "trust = \"dscp\"\n    dcqcn = false"}, at: "false"},
	{code: "ecn-missing-hop", base: "pods-ebgp", edit: []string{"tier    = 3", "tier = 3\n  by_hand { ecn = false }"}, at: "false"},

	// Marking.
	{code: "tos-not-in-group", base: "pods-ebgp", edit: []string{"mtu   = 9000", "mtu = 9000\n    tos = 64"}, at: "64"},
	{code: "tos-ecn-bits", base: "pods-ebgp", edit: []string{"mtu   = 9000", "mtu = 9000\n    tos = 106"}, at: "106"},
	{
		code: "traffic-class-not-in-group", base: "pods-ebgp",
		edit: []string{"mtu   = 9000", "mtu = 9000\n    traffic_class {\n      tos = 16\n      dst = \"192.0.2.1\"\n    }"}, at: "16",
	},
	{
		code: "pcp-untagged", base: "bonded-pair", edit: []string{
			"  dscp     = [\"af31\"]\n", "", `length = "30m"`,
			"length = \"30m\"\n  routed = false", "peer   = true", "peer = true\n  routed = false", "    trust        = \"dscp\"\n", "",
		},
		at: "cos_group.rdma",
	},
	{code: "pcp-over-routed", base: "pods-ebgp", edit: []string{
		"  dscp     = [\"af31\"]\n", "", "cnp       = cos_group.cnp",
		"cnp = cos_group.cnp\n  vlan = 100",
	}, at: "cos_group.rdma"},
	{code: "cnp-no-dscp", base: "pods-ebgp", edit: []string{"  dscp   = [\"cs6\"]\n", ""}, at: `cos_group "cnp"`},
	{
		code: "cnp-not-strict", base: "pods-ebgp", edit: []string{"weight = 40", "weight = 35", "  strict = true\n", "  weight = 5\n"},
		at: `cos_group "cnp"`, more: []string{"cumulus-weights"},
	},
	{
		code: "cnp-shares-group", base: "bonded-pair", edit: []string{
			"[host.store, host.client]", "[host.store]", "weight = 40", "weight = 30",
			"cnp       = cos_group.cnp", "cnp = cos_group.bulk", "", second("lossless = false\n  ecn {}"),
		}, at: "cos_group.bulk",
		more: []string{"cumulus-weights"},
	},

	// Shares.
	{
		code: "lossless-unused", base: "pods-ebgp", edit: []string{
			"weight = 40", "weight = 30", "cos_group = cos_group.rdma",
			"cos_group = cos_group.fast", "", "cos_group \"fast\" {\n  cos = 2\n  lossless = false\n  dscp = [28]\n  weight = 10\n  ecn {}\n}",
		},
		at: "true", more: []string{"cumulus-weights"},
	},
	{code: "ecn-without-v2", base: "rack-v1-pfc", edit: []string{"weight   = 50", "weight = 50\n  ecn {}"}, at: "ecn"},
	{code: "ecn-on-cnp", base: "pods-ebgp", edit: []string{"  strict = true\n", "  strict = true\n  ecn {}\n"}, at: "ecn"},
	{code: "roce-strict", base: "pods-ebgp", edit: []string{"  weight   = 60\n", "  strict = true\n"}, at: "true"},
	{code: "weight-and-strict", base: "pods-ebgp", edit: []string{"  strict = true\n", "  strict = true\n  weight = 10\n"}, at: "10"},
	{code: "weights-sum", base: "pods-ebgp", edit: []string{"weight = 40", "weight = 90"}, at: "90"},

	// Frames and addresses.
	{code: "mtu-path", base: "pods-ebgp", edit: []string{`length = "100m"`, "length = \"100m\"\n  mtu = 1500"}, at: "1500"},
	{code: "mtu-uneven", base: "bonded-pair", edit: []string{"\"e810-xxv\"\n    mtu   = 9000", "\"e810-xxv\"\n    mtu = 2500"}, at: "2500"},
	{code: "rdma-mtu", base: "rack-v1-pfc", edit: []string{"mtu   = 9000", "mtu = 4096"}, at: "4096"},
	{code: "ttl-too-small", base: "pods-ebgp", edit: []string{"mtu   = 9000", "mtu = 9000\n    ttl = 3"}, at: "3"},
	{code: "ip-duplicate", base: "bonded-pair", edit: []string{"198.51.100.${self.index + 1}/24", "198.51.100.1/24"}, at: `"198.51.100.1/24"`},
	{code: "ssh-address-duplicate", base: "rack-v1-pfc", edit: []string{`"192.0.2.1"`, `"192.0.2.101"`}, at: `"192.0.2`},
	{
		code: "roce-v1-subnets", base: "rack-v1-pfc", edit: []string{"mtu   = 9000", "mtu = 9000\n    ip = \"192.0.${self.index}.1/24\""},
		at: `"192.0.`,
	},

	// Redundancy.
	{code: "bond-uneven", base: "bonded-pair", edit: []string{
		"  nic \"ens2f[0-1]\" {\n    model = \"connectx-5\"\n    mtu   = 9000\n  }",
		"  nic \"ens2f0\" {\n    model = \"connectx-5\"\n    mtu = 9000\n  }\n  nic \"ens2f1\" {\n    model = \"connectx-5\"\n    mtu = " +
			"4200\n  }",
	}, at: "4200"},
	{code: "bond-cards", base: "bonded-pair", edit: []string{
		`nic "ens2f[0-1]"`, `nic "ens[2-3]f0"`, `"ens2f1"]`, `"ens3f0"]`,
		"store[1-4]:ens2f[0-1]", "store[1-4]:ens[2-3]f0",
	}, at: `bond "bond0"`},
	{code: "bond-split", base: "bonded-pair", edit: []string{"  mlag    = \"rack1\"\n", ""}, at: `"802.3ad"`},
	{code: "mlag-uneven", base: "bonded-pair", edit: []string{"tier    = 2", "tier = 2\n  mlag = \"rack1\""}, at: `"rack1"`},

	// Hardware.
	{
		code: "nic-pfc-classes", base: "bonded-pair", edit: []string{"weight = 40", "weight = 30", "", second("lossless = true\n  ecn {}")},
		at: `"e810-xxv"`, more: []string{"cumulus-weights", "cumulus-lossless-groups"},
	},
	{
		code: "nic-no-pfc", base: "bonded-pair", edit: []string{`"e810-xxv"`, `"soft-roce"`, "    flow_control = \"pfc\"\n", ""},
		at: `"soft-roce"`, more: []string{"dcqcn-off"},
	},
	{code: "nic-headroom", base: "rack-v1-pfc", edit: []string{`"3m"`, `"1.2km"`}, at: `"1.2km"`},
	{
		code: "buffer-overcommitted", base: "rack-v1-pfc", edit: []string{"weight   = 50", "weight = 50\n  pfc { buffer = \"3MiB\" }"},
		at: `"3MiB"`,
	},
	{code: "headroom-pool", base: "rack-v1-pfc", edit: []string{"tier    = 1", "tier = 1\n  headroom_pool = \"100KiB\""}, at: `"100KiB"`},
	{
		code: "lossless-count", base: "pods-ebgp", edit: []string{
			"tier    = 3", "tier = 3\n  by_hand {}", "weight = 40", "weight = 20", "",
			"cos_group \"a\" {\n  cos = 1\n  lossless = true\n  weight = 10\n}\ncos_group \"b\" {\n  cos = 2\n  lossless = true\n  weight = 10\n}",
		},
		at: `"sn2700"`, more: []string{"cumulus-weights", "lossless-unused", "cumulus-lossless-groups"},
	},

	// Thresholds.
	{code: "ecn-after-pfc", base: "storage-and-training", edit: []string{`"150KiB"`, `"600KiB"`, `"1500KiB"`, `"2400KiB"`}, at: `"600KiB"`},
	{code: "ecn-min-small", base: "pods-ebgp", edit: []string{"ecn {}", "ecn {\n    min = \"10KiB\"\n    max = \"1MiB\"\n  }"}, at: `"10KiB"`},
	{
		code: "ecn-max-unreachable", base: "pods-ebgp", edit: []string{"ecn {}", "ecn {\n    min = \"150KiB\"\n    max = \"12MiB\"\n  }"},
		at: `"12MiB"`,
	},
	{
		code: "ecn-slow-egress", base: "pods-ebgp", edit: []string{"ecn {}", "ecn {\n    min = \"400KiB\"\n    max = \"2MiB\"\n  }"},
		at: `"400KiB"`,
	},

	{
		code: "ecn-marks-early", base: "pods-ebgp", at: "ecn {}",
		edit: []string{
			`"sn2410"` + "\n  os      = \"cumulus-linux\"\n  version = \"4.3.0\"", `"sn2410"` + "\n  version = \"4.4.0\"",
		},
	},

	// Worth knowing.
	{code: "oversubscription", base: "pods-ebgp", edit: []string{
		"upper  = \"${each.key}-agg[1-2]:swp[1-2]\"\n  speed  = \"100G\"",
		"upper = \"${each.key}-agg[1-2]:swp[1-2]\"\n  speed = \"10G\"",
	}, at: `switch "leaf"`},
	{code: "incast", base: "rack-v1-pfc", edit: []string{
		`names = "store[1-5]"`, `names = "store[1-20]"`, `"store[1-5]:ens1f0"`,
		`"store[1-20]:ens1f0"`, `"tor1:swp1-4,swp6"`, `"tor1:swp1-20"`,
	}, at: `roce "nvme"`},
	{code: "speed-step", base: "bonded-pair", edit: []string{
		"b      = \"leaf[1-2]:swp[11-12]\"\n  speed  = \"25G\"",
		"b = \"leaf[1-2]:swp[11-12]\"\n  speed = \"1G\"",
	}, at: `roce "storage"`, more: []string{"headroom-unpublished"}},
	{
		code: "host-forwards", base: "bonded-pair", edit: []string{`names = "client[1-4]"`, "names = \"client[1-4]\"\n  forwards = true"},
		at: "true",
	},
	{code: "pfc-watchdog", base: "clos-v2-ecn", edit: []string{
		`"up-down"`, `"any"`, "  ecn {}\n",
		"  ecn {}\n  allow_deadlock = \"lab only\"\n",
	}, at: `"lab only"`, more: []string{"pfc-loop"}},

	// Releases and chips.
	{code: "cumulus-release", base: "rack-v1-pfc", edit: []string{`"3.4.3"`, `"2.5.12"`}, at: `"2.5.12"`},
	{code: "no-target", base: "rack-v1-pfc", edit: []string{`"cumulus-linux"`, `"junos"`}, at: `"junos"`},
	{code: "config-invalid", base: "rack-by-files", edit: []string{`"files"`, `"nvue"`}, at: `"nvue"`},
	{code: "cumulus-chip", base: "rack-v1-pfc", edit: []string{`"sn2700"`, `"sn3800"`}, at: `"3.4.3"`},
	{code: "cumulus-memory-written", base: "rack-v1-pfc", edit: []string{`"3.4.3"`, "\"3.4.3\"\n  memory = \"written\""}, at: `"written"`},
	{code: "cumulus-model", base: "rack-v1-pfc", edit: []string{`"sn2700"`, `"sn3420"`}, at: `"3.4.3"`},
	{code: "cumulus-known-fault", base: "rack-v1-pfc", edit: []string{`"sn2700"`, `"as7726-32x"`, `"3.4.3"`, `"3.7.12"`}, at: `"3.7.12"`},
	{code: "cumulus-trust", base: "storage-and-training", edit: []string{"version = var.tor_version", `version = "3.4.3"`}, at: `"3.4.3"`},
	{
		code: "cumulus-no-pfc", base: "rack-v1-pfc", edit: []string{`"sn2700"`, `"as4610-54t"`, `"25G"`, `"1G"`}, at: `"as4610-54t"`,
		more: []string{"headroom-unpublished"},
	},
	{code: "cumulus-cos-3", base: "rack-v1-pfc", edit: []string{`"sn2700"`, `"z9100"`, "cos      = 4", "cos = 3"}, at: "3"},
	{
		code: "cumulus-cut-through", base: "rack-v1-pfc",
		edit: []string{`"sn2700"`, `"z9100"`, "mtu = 9216", "mtu = 9216\n  flow_control = \"pause\""}, at: `"z9100"`,
	},
	{code: "cumulus-ecn-drops", base: "bonded-pair", edit: []string{
		`"sn2700"` + "\n  os      = \"cumulus-linux\"\n  version = \"4.3.0\"",
		`"s6000"` + "\n  version = \"3.7.16\"",
	}, at: "ecn", more: []string{"oversubscription"}},
	{code: "cumulus-no-ecn", base: "bonded-pair", edit: []string{
		`"sn2700"` + "\n  os      = \"cumulus-linux\"\n  version = \"4.3.0\"",
		`"s6000"` + "\n  version = \"3.1.2\"",
	}, at: `"s6000"`, more: []string{"oversubscription"}},
	{
		code: "cumulus-ecn-thresholds", base: "bonded-pair",
		edit: []string{`"sn2700"` + "\n  os      = \"cumulus-linux\"\n  version = \"4.3.0\"", `"sn2700"` + "\n  version = \"3.1.2\""}, at: "ecn",
	},
	{
		code: "cumulus-ecn-groups", base: "bonded-pair",
		edit: []string{"weight = 40", "weight = 30", "", second("lossless = false\n  ecn { min = \"80KiB\" }")}, at: "ecn {}",
		more: []string{"cumulus-weights", "ecn-marks-early"},
	},
	{
		code: "cumulus-lossless-groups", base: "pods-ebgp",
		edit: []string{
			"weight = 40", "weight = 30", "mtu   = 9000", "mtu = 9000\n    tos = 104", "",
			strings.ReplaceAll(second("lossless = true\n  ecn {}"), "host.client", "host.gpu"),
		}, at: "true", more: []string{"cumulus-weights"},
	},
	{
		code: "cumulus-bounce", base: "pods-ebgp", edit: []string{
			"weight = 40", "weight = 30", "  ecn {}\n",
			"  ecn {}\n  bounce = cos_group.detour\n", "", "cos_group \"detour\" {\n  cos = 4\n  lossless = true\n  weight = 10\n}",
		},
		at: `cos_group "rdma"`, more: []string{"cumulus-weights", "cumulus-lossless-groups"},
	},

	// Hosts.
	{code: "host-family", base: "rack-v1-pfc", edit: []string{`"connectx-4-lx"`, `"fastlinq-41000"`}, at: `"fastlinq-41000"`},
	{code: "host-option", base: "rack-v1-pfc", edit: []string{`"connectx-4-lx"`, "\"connectx-3\"\n    ttl   = 3"}, at: `nic "ens1f0"`},
	{
		code: "host-parameter", base: "pods-ebgp", at: "46", more: []string{"cumulus-weights"},
		edit: []string{`"connectx-6-dx"`, "\"connectx-6-dx\"\n    nvram = { CNP_DSCP = 46 }"},
	},
	{
		code: "host-no-dscp", base: "pods-ebgp", edit: []string{`"connectx-6-dx"`, `"connectx-3-pro"`}, at: `nic "ens1f0"`,
		more: []string{"dcqcn-off"},
	},
	{
		code: "host-condition", base: "bonded-pair", edit: []string{`"connectx-5"`, `"e810"`, `"802.3ad"`, `"active-backup"`},
		at: `nic "ens2f[0-1]"`,
	},
	{
		code: "host-soft-roce-on", base: "soft-roce", edit: []string{`nic "eth1"`, `nic "eth1.7"`, "[1-4]:eth1", "[1-4]:eth1.7"},
		at: `nic "eth1.7"`,
	},
	{code: "host-pcp", base: "rack-v1-pfc", edit: []string{"cos      = 4", "cos = 4\n  pcp = [3]"}, at: "4"},
	{
		code: "host-mixed", base: "pods-ebgp", edit: []string{
			"weight = 40", "weight = 30", "",
			strings.NewReplacer("host.client", "host.gpu", "dscp   = [18]", "", "cnp   ",
				"vlan = 100\n  cnp").Replace(second("lossless = false\n  ecn {}")),
		}, at: `nic "ens1f0"`,
		more: []string{"cumulus-weights", "pcp-over-routed"},
	},
	{code: "host-vlan", base: "rack-v1-pfc", edit: []string{
		"",
		"roce \"backup\" {\n  version = 1\n  cos_group = cos_group.storage\n  members = [host.store]\n  vlan = 200\n}",
	}, at: `nic "ens1f0"`},
	{
		code: "host-tos", base: "pods-ebgp", edit: []string{
			"weight = 40", "weight = 30", "",
			strings.ReplaceAll(second("lossless = false\n  ecn {}"), "host.client", "host.gpu"),
		}, at: `nic "ens1f0"`,
		more: []string{"cumulus-weights"},
	},
	{code: "host-traffic-class", base: "pods-ebgp", edit: []string{
		"mtu   = 9000",
		"mtu = 9000\n    traffic_class {\n      tos = 104\n      src = \"192.0.2.0/24\"\n    }",
	}, at: `nic "ens1f0"`},
}

// second is another intent of the clients, in a separate cos group.
func second(group string) string {
	return `
cos_group "bulk" {
  cos    = 2
  dscp   = [18]
  weight = 10
  ` + group + `
}
roce "bulk" {
  version   = 2
  cos_group = cos_group.bulk
  cnp       = cos_group.cnp
  members   = [host.client]
}`
}
