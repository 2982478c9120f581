package lang

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/topology"
)

// The blocks of the language, each a table. The manual's tables are made from these.

var fabricSchema = schema[Fabric]{
	block: "fabric", label: "NAME", doc: "The fabric as a whole. A folder holds exactly one.",
	attrs: []attr[Fabric]{
		one("mtu", frameSize, "9216", "MTU of switch ports, in bytes.", func(f *Fabric) *Value[int] { return &f.MTU }),
		one("cable_length", length, "none", "Length of the cables of links that state none; without it every lossless link states its own.", func(f *Fabric) *Value[float64] { return &f.CableLength }),
		one("routing", oneOf("up-down", "ebgp", "shortest-path", "spanning-tree", "flooding", "any", "table"), "none", "How lossless traffic is forwarded. Needed where a lossless group crosses a cycle of links.", func(f *Fabric) *Value[string] { return &f.Routing }),
		one("table", filePath, "none", "The file of next hops for routing = \"table\", below the fabric's folder; see tables.md. Required with that routing and refused with any other.", func(f *Fabric) *Value[string] { return &f.Table }),
		one("root", rootSwitch, "any", "The switch that is the root of the spanning tree.", func(f *Fabric) *Value[string] { return &f.Root }),
		one("failures", integer(0, 16), "1", "The PFC-loop proof also holds with up to so many links down.", func(f *Fabric) *Value[int] { return &f.Failures }),
		one("flow_control", oneOf("pfc", "pause"), "\"pfc\"", "How links are made lossless: priority flow control, or link pause.", func(f *Fabric) *Value[string] { return &f.FlowControl }),
		one("written_by", writers, "\"rocec\"", "Who writes the files of hosts whose block does not say; see devices that others write.", func(f *Fabric) *Value[string] { return &f.WrittenBy }),
		one("required_version", constraint, "any", "The releases of rocec that the fabric is for.", func(f *Fabric) *Value[string] { return &f.RequiredVersion }),
	},
}

var ecnSchema = schema[ECN]{
	block: "ecn", doc: "ECN marking of the group. Values left out are derived.",
	attrs: []attr[ECN]{
		one("min", byteSize, "derived", "Queue length at which marking starts.", func(e *ECN) *Value[int] { return &e.Min }),
		one("max", byteSize, "derived", "Queue length at which marking reaches its probability.", func(e *ECN) *Value[int] { return &e.Max }),
		one("probability", percent, "derived", "Probability of a mark at max.", func(e *ECN) *Value[int] { return &e.Probability }),
	},
}

var pfcSchema = schema[PFC]{
	block: "pfc", doc: "Overrides of derived PFC buffer sizes.",
	attrs: []attr[PFC]{
		one("buffer", byteSize, "derived", "Ingress buffer of the group at a port.", func(p *PFC) *Value[int] { return &p.Buffer }),
		one("xoff", byteSize, "derived", "Fill at which the pause is sent.", func(p *PFC) *Value[int] { return &p.Xoff }),
		one("xon_delta", byteSize, "derived", "How far below xoff the pause ends.", func(p *PFC) *Value[int] { return &p.XonDelta }),
		one("small_packets", percent, "100", "Share of packets with less than 1 KiB of payload in the bytes that arrive after a pause; they "+
			"waste buffer cells.", func(p *PFC) *Value[int] { return &p.SmallPackets }),
	},
}

var cosGroupSchema = schema[CosGroup]{
	block: "cos_group", label: "NAME", doc: "A class of service: one number for 802.1p, the internal cos and the PFC priority.",
	attrs: []attr[CosGroup]{
		must(one("cos", integer(0, 7), "", "The number of the group.", func(g *CosGroup) *Value[int] { return &g.Cos })),
		many("dscp", codePoint, "[]", "DSCPs that belong to the group.", func(g *CosGroup) *[]Value[int] { return &g.DSCP }),
		pcp(many("pcp", integer(0, 7), "[cos]", "802.1p priorities that belong to the group.", func(g *CosGroup) *[]Value[int] { return &g.PCP })),
		one("lossless", boolean, "false", "PFC (or pause) on every link that carries the group.", func(g *CosGroup) *Value[bool] { return &g.Lossless }),
		one("weight", integer(1, 100), "none", "Share in DWRR scheduling.", func(g *CosGroup) *Value[int] { return &g.Weight }),
		one("strict", boolean, "false", "Strict priority instead of a share.", func(g *CosGroup) *Value[bool] { return &g.Strict }),
		one("bounce", reference("cos_group"), "none", "The group that traffic moves into when it goes up again after coming down.", func(g *CosGroup) *Value[string] { return &g.Bounce }),
		one("allow_deadlock", reasonText, "none", "The reason why a PFC loop of this group is accepted; plan and apply repeat it.", func(g *CosGroup) *Value[string] { return &g.AllowDeadlock }),
		one("allow_unproven", reasonText, "none", "The reason why this group may go without a verdict of the PFC-loop proof; plan and apply "+
			"repeat it.", func(g *CosGroup) *Value[string] { return &g.AllowUnproven }),
	},
	blocks: []child[CosGroup]{
		blocksOf(&ecnSchema, true, func(_ *loader, e *ECN, b *hclsyntax.Block) { e.Decl = header(b) }, func(g *CosGroup, _ int, e *ECN) { g.ECN = e }),
		blocksOf(&pfcSchema, true, func(_ *loader, p *PFC, b *hclsyntax.Block) { p.Decl = header(b) }, func(g *CosGroup, _ int, p *PFC) { g.PFC = p }),
	},
}

// pcp also notes that the list was written: an empty one is not the default.
func pcp(a attr[CosGroup]) attr[CosGroup] {
	set := a.set
	a.set = func(l *loader, en *env, g *CosGroup, e hclsyntax.Expression) outcome {
		o := set(l, en, g, e)
		g.PCPSet = o == good
		return o
	}
	return a
}

// roceBlock is a roce block before its members are expanded.
type roceBlock struct {
	Roce
	members []element
}

var roceSchema = schema[roceBlock]{
	block: "roce", label: "NAME", forEach: true, doc: "An intent: these members talk RoCE in this way.",
	attrs: []attr[roceBlock]{
		must(one("version", integer(1, 2), "", "1: RoCEv1 with PFC in one broadcast domain. 2: RoCEv2 with ECN, routed.", func(r *roceBlock) *Value[int] { return &r.Version })),
		must(one("cos_group", reference("cos_group"), "", "The group its traffic travels in.", func(r *roceBlock) *Value[string] { return &r.CosGroup })),
		one("cnp", reference("cos_group"), "none", "The group of congestion notification packets (version 2).", func(r *roceBlock) *Value[string] { return &r.CNP }),
		must(attr[roceBlock]{
			name: "members", kind: "list of reference to host, or members nodeset",
			doc: "Host groups, host names, and host:interface nodesets.",
			set: func(l *loader, en *env, r *roceBlock, e hclsyntax.Expression) outcome {
				elements, o := l.elements(en, e, membersWant)
				r.members = elements
				return o
			},
		}),
		one("vlan", integer(1, 4094), "none", "The VLAN that carries it, tagged at every member (version 1).", func(r *roceBlock) *Value[int] { return &r.VLAN }),
	},
}

const membersWant = `a host group such as host.gpu, or a string such as "store[1-4]:ens2f0"`

var sshAttrs = []attr[SSH]{
	one("port", integer(1, 65535), "22", "TCP port.", func(s *SSH) *Value[int] { return &s.Port }),
	one("user", login, "of ~/.ssh/config", "Login name.", func(s *SSH) *Value[string] { return &s.User }),
	one("jump", jumpHosts, "of ~/.ssh/config", "Jump host, as ssh -J takes it.", func(s *SSH) *Value[string] { return &s.Jump }),
	one("transport", oneOf("native", "openssh"), "native, where ~/.ssh/config allows", "Who carries the session: rocec itself, or the ssh program (see ssh.md).", func(s *SSH) *Value[string] { return &s.Transport }),
}

var topSSHSchema = schema[SSH]{
	block: "ssh", doc: "How devices are reached, unless their own block says otherwise. At most one.",
	attrs: sshAttrs,
}

var sshSchema = schema[SSH]{
	block: "ssh", doc: "How the device is reached.",
	attrs: append([]attr[SSH]{
		one("address", address, "the device's name", "IP address or host name.", func(s *SSH) *Value[string] { return &s.Address }),
		one("host_key", hostKey, "of known_hosts", "Fingerprint the device's host key must have.", func(s *SSH) *Value[string] { return &s.HostKey }),
	}, sshAttrs...),
}

func initSSH(_ *loader, s *SSH, b *hclsyntax.Block) { s.Decl = header(b) }

// switchBlock is a switch block before its names are expanded.
type switchBlock struct {
	Switch
	names []element
}

// writers is who may write the settings of devices.
var writers = oneOf("rocec", "others")

const writtenByDoc = "\"others\": the settings are rendered and judged as any other, and others write them; apply does not."

const maintenanceDoc = "The reason why apply leaves the device as it is for now. It is rendered and judged as any other."

var switchSchema = schema[switchBlock]{
	block: "switch", label: "GROUP", perName: true, forEach: true, doc: "A group of like switches.",
	attrs: []attr[switchBlock]{
		names("the label", "Names of the switches.", func(s *switchBlock) *[]element { return &s.names }),
		must(one("model", modelName, "", "Row of the table of switch models, or a switch_model block.", func(s *switchBlock) *Value[string] { return &s.Model })),
		one("os", word, "the first that rocec knows", "Operating system.", func(s *switchBlock) *Value[string] { return &s.OS }),
		one("version", release, "none", "Release of the operating system.", func(s *switchBlock) *Value[string] { return &s.Version }),
		one("config", word, "by the release", "Which of its operating system's ways to configure it rocec uses.",
			func(s *switchBlock) *Value[string] { return &s.Config }),
		one("preset", oneOf("keep", "replace"), "kept where the fabric fits it, else refused", "What becomes of the vendor's RoCE preset on a switch that "+
			"has it: \"keep\" it, or \"replace\" it by rocec's settings.", func(s *switchBlock) *Value[string] { return &s.Preset }),
		one("tier", integer(1, 64), "distance from the nearest host, plus 1", "Height: 1 is where hosts are.", func(s *switchBlock) *Value[int] { return &s.Tier }),
		one("asn", integer(1, 4294967295), "none", "AS number; for routing = \"ebgp\".", func(s *switchBlock) *Value[int] { return &s.ASN }),
		one("mlag", word, "none", "Switches with the same value are one redundancy pair and are never changed together.", func(s *switchBlock) *Value[string] { return &s.MLAG }),
		one("maintenance", reasonText, "none", maintenanceDoc, func(s *switchBlock) *Value[string] { return &s.Maintenance }),
		one("written_by", writers, "\"rocec\"", writtenByDoc, func(s *switchBlock) *Value[string] { return &s.WrittenBy }),
		one("headroom_pool", byteSize, "none", "Memory that all ports share for what arrives after a pause, where the chip is set up so.", func(s *switchBlock) *Value[int] { return &s.HeadroomPool }),
		one("memory", oneOf("written"), "as it is", "\"written\": rocec writes how the chip's memory is shared out, a pool for lossless "+
			"traffic and one for the rest; else it reads and judges that.", func(s *switchBlock) *Value[string] { return &s.Memory }),
		one("accept_documented", boolean, "false", "true: apply changes it although nobody has reported yet that what rocec writes works on such a "+
			"switch (see documented-only).", func(s *switchBlock) *Value[bool] { return &s.AcceptDocumented }),
	},
	blocks: []child[switchBlock]{
		blocksOf(&switchByHandSchema, true, initByHand, func(s *switchBlock, _ int, h *ByHand) { s.ByHand = h }),
		blocksOf(&sshSchema, true, initSSH, func(s *switchBlock, _ int, ssh *SSH) { s.SSH = ssh }),
	},
}

// byHandAttrs are what a by_hand block of any device may say.
var byHandAttrs = []attr[ByHand]{
	one("flow_control", oneOf("pfc", "pfc-tx", "pfc-rx", "pause", "none"), "what the fabric needs", "How its ports are lossless: by PFC, by PFC in one direction (pfc-tx only sends pauses, pfc-rx only obeys them), by link pause, or not.", func(h *ByHand) *Value[string] { return &h.FlowControl }),
	{name: "pfc", kind: "list of number 0-7", def: "the lossless groups' cos", doc: "The priorities with PFC.", set: func(l *loader, en *env, h *ByHand, e hclsyntax.Expression) outcome {
		o := many("pfc", integer(0, 7), "", "", func(h *ByHand) *[]Value[int] { return &h.PFC }).set(l, en, h, e)
		h.PFCSet = o == good
		return o
	}},
	one("trust", oneOf("pcp", "dscp", "both"), "what the intents need", "The header fields it believes; of both, the DSCP wins where a packet has one.", func(h *ByHand) *Value[string] { return &h.Trust }),
	{name: "dscp", kind: "map of number 0-7", def: "{}", doc: "Where its map from DSCP to cos differs from the fabric's: { 26 = 3 }.", set: setMapped(63, func(h *ByHand) *[]Mapped { return &h.DSCP })},
	{name: "pcp", kind: "map of number 0-7", def: "{}", doc: "Where its map from PCP to cos differs: { 3 = 4 }.", set: setMapped(7, func(h *ByHand) *[]Mapped { return &h.PCP })},
	one("confirmed", reasonText, "none", "Who says that it is set so, or the ticket: without it apply switches PFC on at no port opposite it (see device-unread).", func(h *ByHand) *Value[string] { return &h.Confirmed }),
}

const byHandDoc = "rocec writes nothing on these devices, and judges the fabric by what the block says of them."

var switchByHandSchema = schema[ByHand]{
	block: "by_hand", doc: byHandDoc,
	attrs: append(slices.Clip(slices.Clone(byHandAttrs)),
		one("ecn", boolean, "true", "Whether it marks the groups that ask for ECN.", func(h *ByHand) *Value[bool] { return &h.ECN }),
	),
}

var hostByHandSchema = schema[ByHand]{
	block: "by_hand", doc: byHandDoc,
	attrs: append(slices.Clip(slices.Clone(byHandAttrs)),
		one("dcbx", oneOf("host", "firmware"), "\"host\"", "Who decides PFC and trust: the host, or the NIC's firmware (or lldpad) with what its neighbour advertises.", func(h *ByHand) *Value[string] { return &h.DCBX }),
		one("dcqcn", boolean, "true", "Whether its NICs answer marks with CNPs, and slow down on CNPs.", func(h *ByHand) *Value[bool] { return &h.DCQCN }),
	),
}

func initByHand(_ *loader, h *ByHand, b *hclsyntax.Block) { h.Decl = header(b) }

// names is a list of device nodesets, or one.
func names[T any](def, doc string, field func(*T) *[]element) attr[T] {
	return early(attr[T]{name: "names", kind: "device nodeset", def: def, doc: doc, set: nodesets(field, `a nodeset such as "leaf[01-04]"`)})
}

// nodesets reads a string or a list of strings.
func nodesets[T any](field func(*T) *[]element, want string) func(*loader, *env, *T, hclsyntax.Expression) outcome {
	return func(l *loader, en *env, into *T, e hclsyntax.Expression) outcome {
		elements, o := l.strings(en, e, want)
		*field(into) = elements
		return o
	}
}

var trafficClassSchema = schema[TrafficClass]{
	block: "traffic_class", doc: "An exception by address. Repeatable.",
	attrs: []attr[TrafficClass]{
		must(one("tos", integer(0, 255), "", "Type of service of packets that match.", func(t *TrafficClass) *Value[int] { return &t.TOS })),
		one("src", prefix, "any", "Source address or prefix.", func(t *TrafficClass) *Value[netip.Prefix] { return &t.Src }),
		one("dst", prefix, "any", "Destination address or prefix.", func(t *TrafficClass) *Value[netip.Prefix] { return &t.Dst }),
	},
}

// nicBlock is a nic block before its label is expanded.
type nicBlock struct {
	NIC
	names []nodeset.Name
	label *hclsyntax.Block
}

var nicSchema = schema[nicBlock]{
	block: "nic", label: "INTERFACE", doc: "An interface of the host that speaks RoCE. The label is the netdev, or a nodeset of like ones. Repeatable.",
	attrs: []attr[nicBlock]{
		must(one("model", modelName, "", "Row of the table of NIC models, \"soft-roce\", or a nic_model block.", func(n *nicBlock) *Value[string] { return &n.Model })),
		one("mtu", frameSize, "kept as it is", "MTU the interface has, in bytes. It is compared with that of links and ports, and never set.", func(n *nicBlock) *Value[int] { return &n.MTU }),
		one("ip", prefix, "none", "Address of the interface; lets rocec name the right GID.", func(n *nicBlock) *Value[netip.Prefix] { return &n.IP }),
		one("ttl", integer(0, 255), "kept as it is", "IP TTL of RoCEv2 packets; 0 switches it off, so that the route decides.", func(n *nicBlock) *Value[int] { return &n.TTL }),
		one("tos", integer(0, 255), "first DSCP of the group x 4", "IP type of service of RoCEv2 packets.", func(n *nicBlock) *Value[int] { return &n.TOS }),
		one("roce", boolean, "true", "false switches RoCE off on this PCI function.", func(n *nicBlock) *Value[bool] { return &n.RoCE }),
		one("create_vlan", boolean, "false", "true: rocec makes the interface of the intent's VLAN, and takes it away with the NIC; else it must exist.", func(n *nicBlock) *Value[bool] { return &n.CreateVLAN }),
		one("vlan_ip", prefix, "none", "Address of the VLAN interface that rocec makes.", func(n *nicBlock) *Value[netip.Prefix] { return &n.VLANIP }),
		{name: "vf_roce", kind: "map of bool", def: "{}", doc: "RoCE on or off for each virtual function, by number: { 0 = false }.", set: setVFRoCE},
	},
	blocks: []child[nicBlock]{
		blocksOf(&trafficClassSchema, false, func(_ *loader, t *TrafficClass, b *hclsyntax.Block) { t.Decl = header(b) }, func(n *nicBlock, i int, t *TrafficClass) { n.TrafficClasses = put(n.TrafficClasses, i, *t) }),
	},
}

func initNIC(l *loader, n *nicBlock, b *hclsyntax.Block) {
	n.Decl, n.RoCE, n.label = header(b), Value[bool]{}, b
	n.names = l.expandLabel(b, nodeset.Interfaces)
}

// bondBlock is a bond block before the interfaces of its nics are expanded.
type bondBlock struct {
	Bond
	nics  []element
	label *hclsyntax.Block
	ok    bool
}

var bondSchema = schema[bondBlock]{
	block: "bond", label: "INTERFACE", doc: "RoCE LAG: both ports of one card. Repeatable.",
	attrs: []attr[bondBlock]{
		must(attr[bondBlock]{name: "nics", kind: "list of interface nodeset", doc: "The interfaces of the bond, each with a nic block.", set: func(l *loader, en *env, b *bondBlock, e hclsyntax.Expression) outcome {
			o := nodesets(func(b *bondBlock) *[]element { return &b.nics }, `a list of interfaces such as ["ens2f0", "ens2f1"]`)(l, en, b, e)
			b.NICs = nil
			for _, el := range b.nics {
				t, names, ok := l.expand(el, nodeset.Interfaces)
				if !ok {
					o = failed
				}
				for n := range names.All() {
					b.NICs = append(b.NICs, Value[string]{n.Interface, t.at(n.From, n.To)})
				}
			}
			return o
		}}),
		one("mode", oneOf("active-backup", "balance-xor", "802.3ad"), "\"active-backup\"", "Bonding mode.", func(b *bondBlock) *Value[string] { return &b.Mode }),
	},
}

func initBond(l *loader, bond *bondBlock, b *hclsyntax.Block) {
	bond.Decl, bond.Name, bond.label, bond.ok = header(b), b.Labels[0], b, true
	if why := nodeset.CheckInterface(bond.Name); why != "" {
		badName.Errorf(&l.diags, b.LabelRanges[0], "%s", why)
		bond.ok = false
	}
}

// hostBlock is a host block before its names are expanded.
type hostBlock struct {
	Host
	names []element
	nics  []*nicBlock
	bonds []*bondBlock
}

var hostSchema = schema[hostBlock]{
	block: "host", label: "GROUP", perName: true, forEach: true, doc: "A group of like hosts.",
	attrs: []attr[hostBlock]{
		names("the label", "Names of the hosts.", func(h *hostBlock) *[]element { return &h.names }),
		one("forwards", boolean, "false", "true: the host routes or bridges, so it is treated as a switch.", func(h *hostBlock) *Value[bool] { return &h.Forwards }),
		one("maintenance", reasonText, "none", maintenanceDoc, func(h *hostBlock) *Value[string] { return &h.Maintenance }),
		one("written_by", writers, "that of the fabric", writtenByDoc, func(h *hostBlock) *Value[string] { return &h.WrittenBy }),
	},
	blocks: []child[hostBlock]{
		blocksOf(&nicSchema, false, initNIC, func(h *hostBlock, i int, n *nicBlock) { h.nics = put(h.nics, i, n) }),
		blocksOf(&bondSchema, false, initBond, func(h *hostBlock, i int, b *bondBlock) { h.bonds = put(h.bonds, i, b) }),
		blocksOf(&hostByHandSchema, true, initByHand, func(h *hostBlock, _ int, b *ByHand) { h.ByHand = b }),
		blocksOf(&sshSchema, true, initSSH, func(h *hostBlock, _ int, s *SSH) { h.SSH = s }),
	},
}

// linkBlock is a link or mesh block before its sides are zipped.
type linkBlock struct {
	LinkBlock
	a, b         []element
	aExpr, bExpr hclsyntax.Expression

	format, file Value[string] // of a topology
	ignore       []Value[string]
}

func linkAttrs(a, aDoc, b, bDoc string) []attr[linkBlock] {
	const want = `endpoints such as "leaf[01-02]:swp[49-50]"`
	return append([]attr[linkBlock]{
		must(attr[linkBlock]{name: a, kind: "endpoint nodeset", doc: aDoc, set: func(l *loader, en *env, k *linkBlock, e hclsyntax.Expression) outcome {
			k.aExpr = e
			return nodesets(func(k *linkBlock) *[]element { return &k.a }, want)(l, en, k, e)
		}}),
		must(attr[linkBlock]{name: b, kind: "endpoint nodeset", doc: bDoc, set: func(l *loader, en *env, k *linkBlock, e hclsyntax.Expression) outcome {
			k.bExpr = e
			return nodesets(func(k *linkBlock) *[]element { return &k.b }, want)(l, en, k, e)
		}}),
	}, cableAttrs()...)
}

// cableAttrs are what a link, a mesh and a topology say alike.
func cableAttrs() []attr[linkBlock] {
	return []attr[linkBlock]{
		one("speed", speed, "the slower of the two ports' native speeds", "Speed of the links.", func(k *linkBlock) *Value[int] { return &k.Speed }),
		one("length", length, "cable_length of the fabric", "Length of the cables.", func(k *linkBlock) *Value[float64] { return &k.Length }),
		one("mtu", frameSize, "mtu of the fabric", "MTU of the switch ports at the links' ends, in bytes.", func(k *linkBlock) *Value[int] { return &k.MTU }),
		one("routed", boolean, "by the fabric's routing", "true: an IP hop between two switches; false: bridged.", func(k *linkBlock) *Value[bool] { return &k.Routed }),
		one("peer", boolean, "false", "true: an MLAG peer link or another same-tier step.", func(k *linkBlock) *Value[bool] { return &k.Peer }),
		one("flow_control", oneOf("pfc", "pause"), "flow_control of the fabric",
			"How these links are made lossless: priority flow control, or link pause.", func(k *linkBlock) *Value[string] { return &k.FlowControl }),
		one("bond", boolean, "false", "true: the cables between two of the switches are one bond (LAG).",
			func(k *linkBlock) *Value[bool] { return &k.Bond }),
		one("planned", boolean, "false", "true: the cables are not laid yet. They are rendered and judged as if they were, and expected to be down.", func(k *linkBlock) *Value[bool] { return &k.Planned }),
	}
}

var linkSchema = schema[linkBlock]{
	block: "link", label: "NAME", forEach: true, doc: "Cables, pairwise: the first of a to the first of b, and so on.",
	attrs: linkAttrs("a", "One side.", "b", "The other side, with as many endpoints."),
}

var meshSchema = schema[linkBlock]{
	block: "mesh", label: "NAME", forEach: true, doc: "Complete bipartite wiring: every lower device to every upper device.",
	attrs: linkAttrs("lower", "The lower devices and their ports: each device's k-th port goes to the k-th upper device.", "upper", "The upper devices and their ports: each device's i-th port goes to the i-th lower device."),
}

var topologySchema = schema[linkBlock]{
	block: "topology", label: "NAME", doc: "Cables from a file people have already. What the file says of a cable wins over what is said here.",
	attrs: append([]attr[linkBlock]{
		must(one("format", oneOf(topology.Names()...), "", "What kind of file it is.", func(k *linkBlock) *Value[string] { return &k.format })),
		must(one("file", filePath, "", "The file, below the folder of this file.", func(k *linkBlock) *Value[string] { return &k.file })),
		many("ignore", glob, "none", "Names of devices whose cables are left out, with * and ? for what varies.", func(k *linkBlock) *[]Value[string] { return &k.ignore }),
	}, cableAttrs()...),
}

var switchModelSchema = schema[SwitchModel]{
	block: "switch_model", label: "MODEL", doc: "A switch model the tables do not know.",
	attrs: []attr[SwitchModel]{
		must(one("asic", modelName, "", "Silicon, such as \"spectrum\".", func(m *SwitchModel) *Value[string] { return &m.ASIC })),
		must(one("ports", integer(1, 1024), "", "Number of front-panel ports, swp1 and up.", func(m *SwitchModel) *Value[int] { return &m.Ports })),
		must(one("speed", speed, "", "Native speed of the ports.", func(m *SwitchModel) *Value[int] { return &m.Speed })),
	},
}

var nicModelSchema = schema[NICModel]{
	block: "nic_model", label: "MODEL", doc: "A NIC model the tables do not know.",
	attrs: []attr[NICModel]{
		must(one("family", modelName, "", "Driver family, one of those docs/platforms.md lists.",
			func(m *NICModel) *Value[string] { return &m.Family })),
		must(one("speed", speed, "", "Speed of the fastest port.", func(m *NICModel) *Value[int] { return &m.Speed })),
		one("ports", integer(1, 16), "2", "Ports of a card.", func(m *NICModel) *Value[int] { return &m.Ports }),
		many("roce", integer(1, 2), "[1, 2]", "RoCE versions it speaks.", func(m *NICModel) *[]Value[int] { return &m.RoCE }),
	},
}

var validationSchema = schema[validation]{
	block: "validation", doc: "A condition on the value. Repeatable.",
	attrs: []attr[validation]{
		must(attr[validation]{name: "condition", kind: "bool", doc: "Must be true; refers to var.NAME.", set: func(_ *loader, _ *env, v *validation, e hclsyntax.Expression) outcome {
			v.condition = e
			return good
		}}),
		must(attr[validation]{name: "error_message", kind: "string", doc: "What to tell the person when it is false.", set: func(_ *loader, _ *env, v *validation, e hclsyntax.Expression) outcome {
			v.message = e
			return good
		}}),
	},
}

var variableSchema = schema[variable]{
	block: "variable", label: "NAME", doc: "A value from outside: --var, --var-file, ROCEC_VAR_NAME, or the default.",
	attrs: []attr[variable]{
		{name: "type", kind: "type", def: "that of a plain default, else any", doc: "string, number, bool, any, list(T), set(T), map(T), tuple([...]) or object({...}) with optional(T, default).", set: func(l *loader, _ *env, v *variable, e hclsyntax.Expression) outcome {
			var ty cty.Type
			var defaults *typeexpr.Defaults
			var hds hcl.Diagnostics
			if !l.within(e, func() { ty, defaults, hds = typeexpr.TypeConstraintWithDefaults(e) }) {
				return failed
			}
			if hds.HasErrors() {
				says, at := typeMessage(hds[0], e, l.src.Files[e.Range().Filename])
				wrongType.Errorf(&l.diags, at, "%s", says)
				return failed
			}
			v.ty, v.defaults = ty, defaults
			return good
		}},
		{name: "default", kind: "any", def: "none: a value must be given", doc: "The value when none is given; refers to nothing.", set: func(_ *loader, _ *env, v *variable, e hclsyntax.Expression) outcome {
			v.fallback = e
			return good
		}},
		one("description", description, "none", "What it is for.", func(v *variable) *Value[string] { return &v.description }),
		one("nullable", boolean, "true", "false: null is no value of it, and counts as not given.", func(v *variable) *Value[bool] { return &v.nullable }),
		{name: "sensitive", kind: "bool", def: "false", doc: "Refused when true: nothing secret belongs in a fabric.", set: func(l *loader, en *env, v *variable, e hclsyntax.Expression) outcome {
			var secret Value[bool]
			o := one("sensitive", boolean, "", "", func(*variable) *Value[bool] { return &secret }).set(l, en, v, e)
			if secret.V {
				sensitiveVariable.Errorf(&l.diags, e.Range(), "The variable %q is declared sensitive, and nothing secret belongs in a fabric: its "+
					"values end in files, plans and on screens. Take the attribute away if the value is no secret; logins are left to ssh.",
					diag.Cut(v.name))
				return failed
			}
			return o
		}},
	},
	blocks: []child[variable]{
		blocksOf(&validationSchema, false, func(_ *loader, v *validation, b *hclsyntax.Block) { v.decl = header(b) }, func(v *variable, i int, c *validation) { v.validations = put(v.validations, i, *c) }),
	},
}

var outputSchema = schema[output]{
	block: "output", label: "NAME", doc: "A value of a module that is read outside, as module.MODULE.NAME.",
	attrs: []attr[output]{
		must(attr[output]{name: "value", kind: "any", doc: "The value; refers to what the module declares.", set: func(_ *loader, _ *env, o *output, e hclsyntax.Expression) outcome {
			o.expr = e
			return good
		}}),
		one("description", description, "none", "What it is for.", func(o *output) *Value[string] { return &o.description }),
	},
}

// labelKind is what a label must look like.
type labelKind struct {
	re   *regexp.Regexp
	rule string
}

func (k labelKind) check(name string) string {
	if k.re.MatchString(name) {
		return ""
	}
	switch {
	case name == "":
		return "The label is empty. " + k.rule
	case strings.ContainsAny(name, "[]"):
		return fmt.Sprintf("%q is no label; it names many. Give the block one label, and say names = %[1]q in it if it is a switch or host.",
			diag.Cut(name))
	}
	return fmt.Sprintf("%q is no label for this block. %s", diag.Cut(name), k.rule)
}

var (
	identifier = labelKind{regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_-]{0,31}\z`), "Use 1 to 32 letters, digits, \"_\" and \"-\"; it starts with a letter or \"_\"."}
	anyLabel   = labelKind{regexp.MustCompile(`\A[A-Za-z0-9_][A-Za-z0-9._-]{0,62}\z`), "Use 1 to 63 letters, digits, \".\", \"_\" and \"-\"; it starts with a letter, a digit or \"_\"."}
)

// top is a block that may stand at the top of a file.
type top struct {
	name, label string
	single      bool
	labels      labelKind
	docs        func() []BlockDoc
}

// tops is every block at the top of a file, in the order of the manual.
func tops() []top {
	return []top{
		{"fabric", "NAME", true, anyLabel, func() []BlockDoc { return fabricSchema.docs("fabric") }},
		{"cos_group", "NAME", false, identifier, func() []BlockDoc { return cosGroupSchema.docs("cos_group") }},
		{"roce", "NAME", false, anyLabel, func() []BlockDoc { return roceSchema.docs("roce") }},
		{"switch", "GROUP", false, anyLabel, func() []BlockDoc { return switchSchema.docs("switch") }},
		{"host", "GROUP", false, anyLabel, func() []BlockDoc { return hostSchema.docs("host") }},
		{"link", "NAME", false, anyLabel, func() []BlockDoc { return linkSchema.docs("link") }},
		{"mesh", "NAME", false, anyLabel, func() []BlockDoc { return meshSchema.docs("mesh") }},
		{"topology", "NAME", false, anyLabel, func() []BlockDoc { return topologySchema.docs("topology") }},
		{"ssh", "", true, labelKind{}, func() []BlockDoc { return topSSHSchema.docs("ssh") }},
		{"switch_model", "MODEL", false, anyLabel, func() []BlockDoc { return switchModelSchema.docs("switch_model") }},
		{"nic_model", "MODEL", false, anyLabel, func() []BlockDoc { return nicModelSchema.docs("nic_model") }},
		{"variable", "NAME", false, identifier, func() []BlockDoc { return variableSchema.docs("variable") }},
		{"locals", "", false, labelKind{}, func() []BlockDoc {
			return []BlockDoc{{Path: "locals", Doc: "Names for values, used as local.NAME. Any attributes; repeatable."}}
		}},
		{"module", "NAME", false, identifier, func() []BlockDoc { return []BlockDoc{moduleDoc} }},
		{"output", "NAME", false, identifier, func() []BlockDoc { return outputSchema.docs("output") }},
	}
}

// moduleDoc describes module blocks, which [loader.callModule] reads.
var moduleDoc = BlockDoc{
	Path: "module", Label: "NAME", ForEach: true, Doc: "Takes in the blocks of another folder, with values for its variables: all other attributes.",
	Attrs: []AttrDoc{
		{Name: "source", Type: "path", Doc: "The folder of the module, from the folder of this file: \"./pod\" or \"../shared/pod\". Written out in quotes.", Required: true},
		{Name: "for_each", Type: "set or map", Default: "one instance", Doc: "An instance of the module for each element."},
	},
}

func topNames() (names []string) {
	for _, t := range tops() {
		names = append(names, t.name)
	}
	return names
}

// Blocks describes every block and attribute of the language, in the order of the manual.
func Blocks() []BlockDoc {
	var out []BlockDoc
	for _, t := range tops() {
		out = append(out, t.docs()...)
	}
	return out
}
