package lang

import (
	"net/netip"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// This file has one table for each block of the language. [Reference] writes the reference from these tables.

// off returns an attribute that is true or false; its default is false.
func off[B any](name, doc string, get func(*B) *Value[bool]) attr[B] {
	return one(name, eval.Boolean, "false", doc, get)
}

var fabricSchema = schema[Fabric]{
	block: "fabric", label: "NAME", doc: "The fabric as a whole. A folder has exactly one.",
	attrs: []attr[Fabric]{
		one("mtu", eval.FrameSize, "9216",
			"MTU of switch ports, in bytes.\nrocec never sets it. It sizes headroom by it, and checks every path.",
			func(f *Fabric) *Value[int] { return &f.MTU }),
		one("cable_length", eval.Length, "none", "Length of the cables of links that do not set a length. Without it, every lossless "+
			"link must set one.",
			func(f *Fabric) *Value[float64] { return &f.CableLength }),
		one("routing", eval.OneOf("up-down", "ebgp", "shortest-path", "spanning-tree", "flooding", "any", "table"), "none",
			"How lossless traffic is forwarded. Needed where a lossless group crosses a cycle of links.",
			func(f *Fabric) *Value[string] { return &f.Routing }),
		one("table", eval.FilePath, "none", "The file of next hops for routing = \"table\", below the fabric's folder; see tables.md. "+
			"Required with that routing and refused with any other.", func(f *Fabric) *Value[string] { return &f.Table }),
		one("root", eval.RootSwitch, "any",
			"The switch that is the root of the spanning tree.\n"+
				"The name of a switch, or `switch.GROUP` of a group that is one switch. For `routing = \"spanning-tree\"`.",
			func(f *Fabric) *Value[string] { return &f.Root }),
		one("failures", eval.Integer(0, 16), "1", "The number of links that may be down at the same time: the PFC-loop proof covers "+
			"every such case.",
			func(f *Fabric) *Value[int] { return &f.Failures }),
		one("flow_control", eval.OneOf("pfc", "pause"), "\"pfc\"",
			"How links are made lossless: priority flow control, or link pause.\n"+
				"Link pause stops all traffic of a link, so prefer PFC wherever devices have it. A `link`, `mesh` or `topology` "+
				"may set another flow control for its cables.",
			func(f *Fabric) *Value[string] { return &f.FlowControl }),
		off("bench",
			"true: the fabric is a test bench, on whose traffic no person depends.\n"+
				"`rocec selftest` of level 1 to 3 then asks for a yes, and accepts `--auto-approve`. In other fabrics it asks for the name "+
				"of the switch. The attribute changes no byte on a device.",
			func(f *Fabric) *Value[bool] { return &f.Bench }),
		one("approvals", eval.Integer(0, 9), "0",
			"The number of persons who approve a plan before `rocec apply --plan` applies it; see [rights.md](rights.md).\n"+
				"The person who applies the plan is not one of them. The attribute changes no byte on a device.",
			func(f *Fabric) *Value[int] { return &f.Approvals }),
		one("written_by", writers, "\"rocec\"",
			"Who writes the files of the hosts whose own block has no `written_by`; see devices that others write.\n"+
				"The attribute applies to hosts. Switches set it in [their own blocks](language.md#devices-that-others-write).",
			func(f *Fabric) *Value[string] { return &f.WrittenBy }),
		one("required_version", constraint, "any",
			"The releases of rocec that may load the fabric.\n"+
				"Conditions as in Terraform, separated by commas: `=`, `!=`, `>`, `>=`, `<`, `<=`, and `~>`, after which the last "+
				"number may rise. Any other release refuses the fabric and checks nothing else. A build that is not a release is "+
				"accepted, with a note.",
			func(f *Fabric) *Value[string] { return &f.RequiredVersion }),
	},
}

var ecnSchema = schema[ECN]{
	block: "ecn", doc: "ECN marking of the group. Values left out are derived.",
	attrs: []attr[ECN]{
		one("min", eval.ByteSize, "derived", "Queue length at which marking starts.", func(e *ECN) *Value[int] { return &e.Min }),
		one("max", eval.ByteSize, "derived", "Queue length at which marking reaches the probability of `probability`.",
			func(e *ECN) *Value[int] { return &e.Max }),
		one("probability", eval.Percent, "derived", "Probability of a mark at max.", func(e *ECN) *Value[int] { return &e.Probability }),
	},
}

var pfcSchema = schema[PFC]{
	block: "pfc", doc: "Overrides of derived PFC buffer sizes.",
	attrs: []attr[PFC]{
		one("buffer", eval.ByteSize, "derived", "Ingress buffer of the group at a port.", func(p *PFC) *Value[int] { return &p.Buffer }),
		one("xoff", eval.ByteSize, "derived", "Buffer fill at which the pause is sent.", func(p *PFC) *Value[int] { return &p.Xoff }),
		one("xon_delta", eval.ByteSize, "derived", "How far below xoff the buffer must empty before the pause "+
			"ends.", func(p *PFC) *Value[int] { return &p.XonDelta }),
		one("small_packets", eval.Percent, "100",
			"Share of packets with less than 1 KiB of payload in the bytes that arrive after a pause; they waste buffer "+
				"cells.\nSee [sizing.md](sizing.md).", func(p *PFC) *Value[int] { return &p.SmallPackets }),
	},
}

var cosGroupSchema = schema[CosGroup]{
	block: "cos_group", label: "NAME", doc: "A class of service: one number for 802.1p, the internal cos and the PFC priority.",
	attrs: []attr[CosGroup]{
		must(one("cos", eval.Integer(0, 7), "", "The number of the group.", func(g *CosGroup) *Value[int] { return &g.Cos })),
		many("dscp", eval.CodePoint, "[]",
			"DSCPs that belong to the group.\n"+
				"A value that no group claims is never lossless. The device chooses the lossy cos for it, and NICs and switches may "+
				"differ.",
			func(g *CosGroup) *[]Value[int] { return &g.DSCP }),
		pcp(many("pcp", eval.Integer(0, 7), "[cos]", "802.1p priorities that belong to the group.",
			func(g *CosGroup) *[]Value[int] { return &g.PCP })),
		off("lossless", "PFC (or pause) on every link that carries the group.",
			func(g *CosGroup) *Value[bool] { return &g.Lossless }),
		one("weight", eval.Integer(1, 100), "none",
			"Share of the bandwidth in DWRR scheduling.\n"+
				"A group has a weight or `strict`. Weights are percent if the weights of all groups that are not strict add up to "+
				"100, and ratios otherwise. NICs get weights that are scaled to 100.",
			func(g *CosGroup) *Value[int] { return &g.Weight }),
		off("strict", "Strict priority instead of a share.", func(g *CosGroup) *Value[bool] { return &g.Strict }),
		one("bounce", eval.Reference("cos_group"), "none",
			"The group that traffic moves to when it goes up again after it came down.\nSee [cos_group](language.md#cos_group-name).",
			func(g *CosGroup) *Value[string] { return &g.Bounce }),
		one("allow_deadlock", eval.ReasonText, "none",
			"The reason why a PFC loop of this group is accepted; plan and apply repeat it.\n"+
				"See [findings you accept](language.md#findings-you-accept).",
			func(g *CosGroup) *Value[string] { return &g.AllowDeadlock }),
		one("allow_unproven", eval.ReasonText, "none",
			"The reason why this group is accepted without a verdict of the PFC-loop proof; plan and apply repeat it.\n"+
				"See [findings you accept](language.md#findings-you-accept).",
			func(g *CosGroup) *Value[string] { return &g.AllowUnproven }),
	},
	blocks: []child[CosGroup]{
		blocksOf(&ecnSchema, true, headed(func(e *ECN) *diag.Range { return &e.Decl }), func(g *CosGroup, _ int, e *ECN) { g.ECN = e }),
		blocksOf(&pfcSchema, true, headed(func(p *PFC) *diag.Range { return &p.Decl }), func(g *CosGroup, _ int, p *PFC) { g.PFC = p }),
	},
}

// pcp also notes that the list was written: an empty list differs from the default.
func pcp(a attr[CosGroup]) attr[CosGroup] {
	set := a.set
	a.set = func(d *decoder, en *eval.Env, g *CosGroup, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
		o := set(d, en, g, e, ds)
		g.PCPSet = o == eval.Good
		return o
	}
	return a
}

// roceBlock is a roce block before its members are expanded.
type roceBlock struct {
	Roce
	members []eval.Element
}

var roceSchema = schema[roceBlock]{
	block: "roce", label: "NAME", forEach: true, doc: "An intent: the members of the block exchange RoCE traffic as its attributes say.",
	attrs: []attr[roceBlock]{
		must(one("version", eval.Integer(1, 2), "",
			"1: RoCEv1 with PFC in one broadcast domain. 2: RoCEv2 with ECN, routed.\n"+
				"The DSCP of its group identifies version 2 or, where the group claims none, the priority in the tag of `vlan`.",
			func(r *roceBlock) *Value[int] { return &r.Version })),
		must(one("cos_group", eval.Reference("cos_group"), "", "The cos group of the RoCE traffic.",
			func(r *roceBlock) *Value[string] { return &r.CosGroup })),
		one("cnp", eval.Reference("cos_group"), "none", "The cos group of congestion notification packets (version 2).",
			func(r *roceBlock) *Value[string] { return &r.CNP }),
		must(attr[roceBlock]{
			name: "members", kind: "list of reference to host, or members nodeset",
			doc: "Host groups, host names, and host:interface nodesets.\n" +
				"`host.GROUP` selects every RoCE interface of every host of the group. A host name selects every RoCE interface of " +
				"that host, and `host:interface` one interface. Lists inside the list are flattened.",
			set: func(d *decoder, en *eval.Env, r *roceBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				elements, o := d.Elements(en, e, membersWant, ds)
				r.members = elements
				return o
			},
		}),
		one("vlan", eval.Integer(1, 4094), "none", "The VLAN of the traffic, tagged at every member (version 1).",
			func(r *roceBlock) *Value[int] { return &r.VLAN }),
	},
}

const membersWant = `a host group such as host.gpu, or a string such as "store[1-4]:ens2f0"`

var sshAttrs = []attr[SSH]{
	one("port", eval.Integer(1, 65535), "22", "TCP port.", func(s *SSH) *Value[int] { return &s.Port }),
	one("user", eval.Login, "of ~/.ssh/config", "Login name.", func(s *SSH) *Value[string] { return &s.User }),
	one("jump", eval.JumpHosts, "of ~/.ssh/config", "Jump host, in the form of ssh -J.", func(s *SSH) *Value[string] { return &s.Jump }),
	one("transport", eval.OneOf("native", "openssh"), "native, where ~/.ssh/config allows",
		"What opens the SSH session: rocec itself, or the ssh program (see ssh.md).", func(s *SSH) *Value[string] { return &s.Transport }),
}

var topSSHSchema = schema[SSH]{
	block: "ssh", doc: "How devices are reached, unless their own block has other values. At most one.",
	attrs: sshAttrs,
}

var sshSchema = schema[SSH]{
	block: "ssh", doc: "How the device is reached.",
	attrs: append([]attr[SSH]{
		one("address", eval.Address, "the device's name", "IP address or host name.", func(s *SSH) *Value[string] { return &s.Address }),
		one("host_key", eval.HostKey, "of known_hosts", "Fingerprint that the host key of the device must have.",
			func(s *SSH) *Value[string] { return &s.HostKey }),
	}, sshAttrs...),
}

// headed returns a block with the place of its header.
func headed[T any](field func(*T) *diag.Range) func(*decoder, *T, *hclsyntax.Block, *diag.List) bool {
	return func(_ *decoder, into *T, b *hclsyntax.Block, _ *diag.List) bool {
		*field(into) = parse.Header(b)
		return true
	}
}

var initSSH = headed(func(s *SSH) *diag.Range { return &s.Decl })

// switchBlock is a switch block before its names are expanded.
type switchBlock struct {
	Switch
	names []eval.Element
}

// writers is the kind of an attribute that says who writes the settings of a device.
var writers = eval.OneOf("rocec", "others")

const writtenByDoc = "\"others\": other people or tools write the settings. rocec renders and checks them as usual; apply does not " +
	"write them."

const siteDoc = "The site whose `rocecd` reads and changes the device, for a fabric of several sites; see [fleet.md](fleet.md).\n" +
	"The attribute has an effect only with `--team`, and changes no byte on a device."

const maintenanceDoc = "The reason why apply does not change the device for now. The device is rendered and checked as usual."

var switchSchema = schema[switchBlock]{
	block: "switch", label: "GROUP", perName: true, forEach: true, doc: "A group of switches with the same settings.",
	attrs: []attr[switchBlock]{
		names("the label", "Names of the switches.", func(s *switchBlock) *[]eval.Element { return &s.names }),
		must(one("model", eval.ModelName, "",
			"Row of the table of switch models, or a switch_model block.\n"+
				"[platforms.md](platforms.md) lists the names and their short forms. Case, `-`, `_`, `.` and the maker's name "+
				"before a model do not matter. A part number is accepted for its model: `\"MSN3700-VS2F\"` is an sn3700, "+
				"`\"MCX653106A\"` a connectx-6. A part number of several models is an error, which lists them.",
			func(s *switchBlock) *Value[string] { return &s.Model })),
		one("os", eval.Word, "the first in the row of the model",
			"Operating system.\n"+
				"[platforms.md](platforms.md) lists the systems. Case, `-` and `_` do not matter. For another system rocec knows the "+
				"chip only. Ports of such a switch may have any name that a nodeset accepts (letters, digits, `.`, `_`, `-`; up "+
				"to 15). A link needs `speed` if its other end has no speed. rocec writes nothing for the switch (`no-target`) "+
				"unless a `by_hand` block says that others configure it.",
			func(s *switchBlock) *Value[string] { return &s.OS }),
		one("version", eval.Release, "none",
			"Release of the operating system.\nThe syntax of the settings depends on it, so a switch that rocec writes needs a release.",
			func(s *switchBlock) *Value[string] { return &s.Version }),
		one("config", eval.Word, "by the release",
			"The interface of the operating system by which rocec configures the switch.\n"+
				"Some systems have several such interfaces. Without the attribute the release decides. A word that the system does "+
				"not know, or an interface that the release lacks, is an error (`config-invalid`). A switch that is configured by "+
				"another interface is refused.",
			func(s *switchBlock) *Value[string] { return &s.Config }),
		one("preset", eval.OneOf("keep", "replace"), "kept if the fabric fits it, otherwise refused",
			"What apply does with the vendor's RoCE preset, if the switch has it: \"keep\" it, or \"replace\" it by rocec's "+
				"settings.", func(s *switchBlock) *Value[string] { return &s.Preset }),
		one("tier", eval.Integer(1, 64), "distance from the nearest host, plus 1",
			"Height in the fabric: switches of tier 1 have hosts.\n"+
				"Needed for `routing = \"up-down\"` where the distance from the hosts gives a wrong height, such as for a spine to "+
				"which a host is connected.",
			func(s *switchBlock) *Value[int] { return &s.Tier }),
		one("asn", eval.Integer(1, 4294967295), "none", "AS number; for routing = \"ebgp\".", func(s *switchBlock) *Value[int] { return &s.ASN }),
		one("mlag", eval.Word, "none", "Switches with the same value are one redundancy pair and are never changed together.",
			func(s *switchBlock) *Value[string] { return &s.MLAG }),
		one("maintenance", eval.ReasonText, "none",
			maintenanceDoc+
				"\nUse it for a device under repair. `build` writes its files, and the checks and the proof include it. For a device "+
				"that others always configure, use a [by_hand](language.md#switchby_hand) block.",
			func(s *switchBlock) *Value[string] { return &s.Maintenance }),
		one("site", eval.Site, "none", siteDoc, func(s *switchBlock) *Value[string] { return &s.Site }),
		one("written_by", writers, "\"rocec\"",
			writtenByDoc+
				"\nSee [devices that others write](language.md#devices-that-others-write).",
			func(s *switchBlock) *Value[string] { return &s.WrittenBy }),
		one("headroom_pool", eval.ByteSize, "none",
			"Memory that all ports share for packets that arrive after a pause, if the chip is configured with such a pool.\n"+
				"Losslessness is statistical on such a chip: a warning states how many ports can be caught at the same time.",
			func(s *switchBlock) *Value[int] { return &s.HeadroomPool }),
		one("memory", eval.OneOf("written"), "as it is", "\"written\": rocec writes the division of the chip's memory into a pool for "+
			"lossless traffic and a pool for all other traffic. Without it rocec reads and checks the "+
			"division.", func(s *switchBlock) *Value[string] { return &s.Memory }),
		off("accept_documented",
			"true: apply changes the switch, although no user has reported yet that the settings of rocec work on such a switch (see "+
				"documented-only).\n"+
				"rocec knows some systems and releases from public documents only. apply changes a real switch of such a release only "+
				"with permission: this attribute for every run, or `apply --accept-unverified` for one run. The attribute changes "+
				"no byte on the switch. A rehearsal with `--lab`, and a release with [reports](evidence/README.md) of users, need no permission.",
			func(s *switchBlock) *Value[bool] { return &s.AcceptDocumented }),
	},
	blocks: []child[switchBlock]{
		blocksOf(&switchByHandSchema, true, initByHand, func(s *switchBlock, _ int, h *ByHand) { s.ByHand = h }),
		blocksOf(&sshSchema, true, initSSH, func(s *switchBlock, _ int, ssh *SSH) { s.SSH = ssh }),
	},
}

// handWord returns an attribute of a by_hand block whose value is one word.
func handWord(name string, kind eval.Kind[string], def, doc string, field func(*ByHand) *Value[string]) attr[ByHand] {
	return one(name, kind, def, doc, field)
}

// byHandAttrs returns the attributes that a by_hand block of any device may have.
var byHandAttrs = []attr[ByHand]{
	handWord("flow_control", eval.OneOf("pfc", "pfc-tx", "pfc-rx", "pause", "none"), "the value that the fabric needs",
		"How its ports are lossless: by PFC, by PFC in one direction (pfc-tx only sends pauses, pfc-rx only obeys them), by link pause, or not.",
		func(h *ByHand) *Value[string] { return &h.FlowControl }),
	{
		name: "pfc", kind: "list of number 0-7", def: "the cos of the lossless groups", doc: "The priorities with PFC.",
		set: func(d *decoder, en *eval.Env, h *ByHand, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
			o := many("pfc", eval.Integer(0, 7), "", "", func(h *ByHand) *[]Value[int] { return &h.PFC }).set(d, en, h, e, ds)
			h.PFCSet = o == eval.Good
			return o
		},
	},
	handWord("trust", eval.OneOf("pcp", "dscp", "both"), "the value that the intents need",
		"The header fields that the device trusts. With both, the DSCP has precedence where a packet has "+
			"one.", func(h *ByHand) *Value[string] { return &h.Trust }),
	parsed("dscp", "map of number 0-7", "{}", "The entries by which its map from DSCP to cos differs from the fabric's: { 26 = 3 }.",
		readDSCPMap, func(h *ByHand, v []Mapped) { h.DSCP = v }),
	parsed("pcp", "map of number 0-7", "{}", "The entries by which its map from PCP to cos differs from the fabric's: { 3 = 4 }.",
		readPCPMap, func(h *ByHand, v []Mapped) { h.PCP = v }),
	handWord("confirmed", eval.ReasonText, "none", "Who confirms these settings, or the ticket. Without it, apply enables PFC at no "+
		"port opposite the device (see device-unread).", func(h *ByHand) *Value[string] { return &h.Confirmed }),
}

const byHandDoc = "rocec writes nothing on these devices, and checks the fabric with the settings that the block states."

var switchByHandSchema = schema[ByHand]{
	block: "by_hand", doc: byHandDoc,
	attrs: append(slices.Clip(slices.Clone(byHandAttrs)),
		one("ecn", eval.Boolean, "true", "Whether the switch marks the groups that have ECN.", func(h *ByHand) *Value[bool] { return &h.ECN }),
	),
}

var hostByHandSchema = schema[ByHand]{
	block: "by_hand", doc: byHandDoc,
	attrs: append(slices.Clip(slices.Clone(byHandAttrs)),
		handWord("dcbx", eval.OneOf("host", "firmware"), "\"host\"",
			"What decides PFC and trust: the configuration of the host, or the NIC's firmware (or lldpad) by what the neighbour advertises.",
			func(h *ByHand) *Value[string] { return &h.DCBX }),
		one("dcqcn", eval.Boolean, "true", "Whether the NICs of the host answer marks with CNPs, and slow down on CNPs.",
			func(h *ByHand) *Value[bool] { return &h.DCQCN }),
		handWord("system", eval.Word, "none", "The operating system, or the make of a storage array: its sheet of `build --as handover` has the "+
			"commands of that system. [images.md](images.md#handover-sheets) lists the words.",
			func(h *ByHand) *Value[string] { return &h.System }),
	),
}

var initByHand = headed(func(h *ByHand) *diag.Range { return &h.Decl })

// names returns an attribute whose value is one device nodeset or a list of them.
func names[T any](def, doc string, field func(*T) *[]eval.Element) attr[T] {
	return early(attr[T]{name: "names", kind: "device nodeset", def: def, doc: doc, set: nodesets(field, `a nodeset such as "leaf[01-04]"`)})
}

// nodesets reads a string or a list of strings.
func nodesets[T any](field func(*T) *[]eval.Element, want string) func(*decoder, *eval.Env, *T, hclsyntax.Expression,
	*diag.List) eval.Outcome {
	return func(d *decoder, en *eval.Env, into *T, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
		elements, o := d.Strings(en, e, want, ds)
		*field(into) = elements
		return o
	}
}

var trafficClassSchema = schema[TrafficClass]{
	block: "traffic_class", doc: "An exception by address. Repeatable.",
	attrs: []attr[TrafficClass]{
		must(one("tos", eval.Integer(0, 255), "", "Type of service of the packets between these "+
			"addresses.", func(t *TrafficClass) *Value[int] { return &t.TOS })),
		one("src", eval.Prefix, "any", "Source address or prefix.", func(t *TrafficClass) *Value[netip.Prefix] { return &t.Src }),
		one("dst", eval.Prefix, "any", "Destination address or prefix.", func(t *TrafficClass) *Value[netip.Prefix] { return &t.Dst }),
	},
}

// nicBlock is a nic block before its label is expanded.
type nicBlock struct {
	NIC
	set   *nodeset.Set
	names []nodeset.Name // of the set, after they are made
	label *hclsyntax.Block
}

var nicSchema = schema[nicBlock]{
	block: "nic", label: "INTERFACE", doc: "An interface of the host for RoCE. The label is the netdev, or a nodeset of netdevs with the " +
		"same settings. Repeatable.",
	attrs: []attr[nicBlock]{
		must(one("model", eval.ModelName, "",
			"Row of the table of NIC models, \"soft-roce\", or a nic_model block.\n"+
				"Names are matched as for switches. `\"soft-roce\"` needs a cos group that is not lossless (`nic-no-pfc`).",
			func(n *nicBlock) *Value[string] { return &n.Model })),
		one("mtu", eval.FrameSize, "kept as it is", "MTU that the interface has, in bytes. It is compared with the MTU of links and "+
			"ports, and never "+
			"set.", func(n *nicBlock) *Value[int] { return &n.MTU }),
		one("ip", eval.Prefix, "none", "Address of the interface, from which rocec knows the right GID.",
			func(n *nicBlock) *Value[netip.Prefix] { return &n.IP }),
		one("ttl", eval.Integer(0, 255), "kept as it is",
			"IP TTL of RoCEv2 packets. With 0 the route decides.\nWithout the attribute the host keeps its value.",
			func(n *nicBlock) *Value[int] { return &n.TTL }),
		one("tos", eval.Integer(0, 255), "first DSCP of the group x 4",
			"IP type of service of RoCEv2 packets.\n"+
				"RDMA-CM has one default for a NIC. If the NIC is in several intents and the attribute is missing, the first intent "+
				"by name sets the default, and `host-tos` reports the others.",
			func(n *nicBlock) *Value[int] { return &n.TOS }),
		one("roce", eval.Boolean, "true", "false switches RoCE off on this PCI function.", func(n *nicBlock) *Value[bool] { return &n.RoCE }),
		off("create_vlan",
			"true: rocec creates the interface of the intent's VLAN, and removes it together with the NIC.\n"+
				"Otherwise the network configuration of the host must have an interface of the VLAN, or the host is refused "+
				"(`host-setting`). The interface is called `NIC.VLAN`, such as `ens1f0.100`.",
			func(n *nicBlock) *Value[bool] { return &n.CreateVLAN }),
		one("vlan_ip", eval.Prefix, "none",
			"Address of the VLAN interface that rocec creates.\nOnly with `create_vlan`. When the address or the VLAN changes, rocec "+
				"removes the old address or interface. When `create_vlan` is removed, the interface stays until the host restarts.",
			func(n *nicBlock) *Value[netip.Prefix] { return &n.VLANIP }),
		parsed("vf_roce", "map of bool", "{}", "RoCE on or off for each virtual function, by number: { 0 = false }.\n"+
			"Numbers run from 0 to 1023.", readVFRoCE, func(n *nicBlock, v []VFRoCE) { n.VFRoCE = v }),
		parsed("dcqcn", "map of number", "kept as they are",
			"Parameters of DCQCN by the names of the NIC's driver: { rpg_ai_rate = 20 }.\n"+
				"[hosts.md](hosts.md#parameters-of-congestion-control) lists the names, ranges and units of each driver. `cnp` of the intent "+
				"sets the mark of CNPs. A parameter without an entry keeps its value.",
			readDCQCN, func(n *nicBlock, v []Parameter) { n.tune(func(t *Tuning) { t.DCQCN = v }) }),
		parsed("nvram", "map of number, bool or string", "kept as they are",
			"Parameters that the card stores, by the names of the vendor's tool and without a port: { CNP_DSCP = 48 }.\n"+
				"They need a reset of the card, which is a separate step of a change: see [hosts.md](hosts.md#parameters-that-the-card-stores). "+
				"A parameter without an entry keeps its value.",
			readStored, func(n *nicBlock, v []Parameter) { n.tune(func(t *Tuning) { t.NVRAM = v }) }),
		parsed("stall_prevention", stallKind.Name, "kept as it is",
			"Time after which the NIC stops sending pauses while it cannot receive, in milliseconds.\n"+
				"\"auto\" is the time of the firmware, and \"off\" turns stall prevention off.",
			readStall, func(n *nicBlock, v Value[string]) { n.tune(func(t *Tuning) { t.Stall = v }) }),
	},
	blocks: []child[nicBlock]{
		blocksOf(&trafficClassSchema, false, headed(func(t *TrafficClass) *diag.Range { return &t.Decl }),
			func(n *nicBlock, i int, t *TrafficClass) { n.TrafficClasses = put(n.TrafficClasses, i, *t) }),
	},
}

func initNIC(d *decoder, n *nicBlock, b *hclsyntax.Block, ds *diag.List) (ok bool) {
	n.Decl, n.RoCE, n.label = parse.Header(b), Value[bool]{}, b
	n.set, ok = d.countText(d.Label(b), nodeset.Interfaces, ds)
	return ok
}

// bondBlock is a bond block before the interfaces of its nics are expanded.
type bondBlock struct {
	Bond
	nics    []eval.Element
	counted []named // of nics
	label   *hclsyntax.Block
	ok      bool
}

var bondSchema = schema[bondBlock]{
	block: "bond", label: "INTERFACE", doc: "RoCE LAG: a bond of both ports of one card. Repeatable.",
	attrs: []attr[bondBlock]{
		must(attr[bondBlock]{
			name: "nics", kind: "list of interface nodeset", doc: "The interfaces of the bond. Each needs a nic block.",
			set: func(d *decoder, en *eval.Env, b *bondBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				o := nodesets(func(b *bondBlock) *[]eval.Element { return &b.nics }, `a list of interfaces such as ["ens2f0", "ens2f1"]`)(d, en, b, e,
					ds)
				b.counted = nil
				for _, el := range b.nics {
					if el.V.Type() != cty.String {
						continue // reported
					}
					names, ok := d.count(el, nodeset.Interfaces, ds)
					if !ok {
						o = eval.Failed
					}
					b.counted = append(b.counted, names)
				}
				return o
			},
		}),
		one("mode", eval.OneOf("active-backup", "balance-xor", "802.3ad"), "\"active-backup\"", "Bonding mode.",
			func(b *bondBlock) *Value[string] { return &b.Mode }),
	},
}

func initBond(_ *decoder, bond *bondBlock, b *hclsyntax.Block, ds *diag.List) bool {
	bond.Decl, bond.Name, bond.label, bond.ok = parse.Header(b), b.Labels[0], b, true
	if why := nodeset.CheckInterface(bond.Name); why != "" {
		eval.BadName.Errorf(ds, b.LabelRanges[0], "%s", why)
		bond.ok = false
	}
	return bond.ok
}

// hostBlock is a host block before its names are expanded.
type hostBlock struct {
	Host
	names []eval.Element
	nics  []*nicBlock
	bonds []*bondBlock
}

var hostSchema = schema[hostBlock]{
	block: "host", label: "GROUP", perName: true, forEach: true, doc: "A group of hosts with the same settings.",
	attrs: []attr[hostBlock]{
		names("the label", "Names of the hosts.", func(h *hostBlock) *[]eval.Element { return &h.names }),
		off("forwards", "true: the host routes or bridges, so it is treated as a switch.",
			func(h *hostBlock) *Value[bool] { return &h.Forwards }),
		one("maintenance", eval.ReasonText, "none", maintenanceDoc, func(h *hostBlock) *Value[string] { return &h.Maintenance }),
		one("site", eval.Site, "none", siteDoc, func(h *hostBlock) *Value[string] { return &h.Site }),
		one("written_by", writers, "the value of the fabric",
			writtenByDoc+
				"\nIt overrides the value of the fabric. See [devices that others write](language.md#devices-that-others-write).",
			func(h *hostBlock) *Value[string] { return &h.WrittenBy }),
	},
	blocks: []child[hostBlock]{
		blocksOf(&nicSchema, false, initNIC, func(h *hostBlock, i int, n *nicBlock) { h.nics = put(h.nics, i, n) }),
		blocksOf(&bondSchema, false, initBond, func(h *hostBlock, i int, b *bondBlock) { h.bonds = put(h.bonds, i, b) }),
		blocksOf(&hostByHandSchema, true, initByHand, func(h *hostBlock, _ int, b *ByHand) { h.ByHand = b }),
		blocksOf(&sshSchema, true, initSSH, func(h *hostBlock, _ int, s *SSH) { h.SSH = s }),
	},
}

var switchModelSchema = schema[SwitchModel]{
	block: "switch_model", label: "MODEL", doc: "A switch model that is missing in the tables.",
	attrs: []attr[SwitchModel]{
		must(one("asic", eval.ModelName, "", "Silicon, such as \"spectrum\".", func(m *SwitchModel) *Value[string] { return &m.ASIC })),
		must(one("ports", eval.Integer(1, 1024), "", "Number of front-panel ports, swp1 and up.",
			func(m *SwitchModel) *Value[int] { return &m.Ports })),
		must(one("speed", eval.Speed, "", "Native speed of the ports.", func(m *SwitchModel) *Value[int] { return &m.Speed })),
	},
}

var nicModelSchema = schema[NICModel]{
	block: "nic_model", label: "MODEL", doc: "A NIC model that is missing in the tables.",
	attrs: []attr[NICModel]{
		must(one("family", eval.ModelName, "", "Driver family; docs/platforms.md lists them.",
			func(m *NICModel) *Value[string] { return &m.Family })),
		must(one("speed", eval.Speed, "", "Speed of the fastest port.", func(m *NICModel) *Value[int] { return &m.Speed })),
		one("ports", eval.Integer(1, 16), "2", "Ports of a card.", func(m *NICModel) *Value[int] { return &m.Ports }),
		many("roce", eval.Integer(1, 2), "[1, 2]", "RoCE versions that the NIC supports.", func(m *NICModel) *[]Value[int] { return &m.RoCE }),
	},
}
