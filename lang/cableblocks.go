package lang

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/topology"
)

// The blocks of cables: link, mesh, and topology with its cables blocks.

// linkBlock is a link or mesh block before its sides are zipped.
type linkBlock struct {
	LinkBlock
	marks        LinkMarks
	a, b         []eval.Element
	aExpr, bExpr hclsyntax.Expression

	format, file Value[string] // of a topology
	ignore       []Value[string]
	sheets       []Value[string]
	fold         Value[bool]
	columns      map[string]string
	cables       []*linkBlock // what is said of single cables

	drop     Value[bool] // of a cables block: its cables are left out
	selector selector
}

func linkAttrs(a, aDoc, b, bDoc string) []attr[linkBlock] {
	const want = `endpoints such as "leaf[01-02]:swp[49-50]"`
	return append([]attr[linkBlock]{
		must(attr[linkBlock]{
			name: a, kind: "endpoint nodeset", doc: aDoc,
			set: func(d *decoder, en *eval.Env, k *linkBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				k.aExpr = e
				return nodesets(func(k *linkBlock) *[]eval.Element { return &k.a }, want)(d, en, k, e, ds)
			},
		}),
		must(attr[linkBlock]{
			name: b, kind: "endpoint nodeset", doc: bDoc,
			set: func(d *decoder, en *eval.Env, k *linkBlock, e hclsyntax.Expression, ds *diag.List) eval.Outcome {
				k.bExpr = e
				return nodesets(func(k *linkBlock) *[]eval.Element { return &k.b }, want)(d, en, k, e, ds)
			},
		}),
	}, cableAttrs()...)
}

// cableAttrs are what a link, a mesh and a topology say alike.
func cableAttrs() []attr[linkBlock] {
	return []attr[linkBlock]{
		one("speed", eval.Speed, "the slower of the two ports' native speeds",
			"Speed of the links.\nThe ends of a split port are named as its parts, `swp5s0` to `swp5s3`.",
			func(k *linkBlock) *Value[int] { return &k.Speed }),
		one("length", eval.Length, "cable_length of the fabric", "Length of the cables.",
			func(k *linkBlock) *Value[float64] { return &k.Length }),
		one("mtu", eval.FrameSize, "mtu of the fabric",
			"MTU of the switch ports at the links' ends, in bytes.\nrocec never sets it. It sizes headroom by it, and checks every path.",
			func(k *linkBlock) *Value[int] { return &k.MTU }),
		one("routed", eval.Boolean, "by the fabric's routing", "true: an IP hop between two switches; false: bridged.",
			func(k *linkBlock) *Value[bool] { return &k.marks.Routed }),
		off("peer", "true: an MLAG peer link or another same-tier step.",
			func(k *linkBlock) *Value[bool] { return &k.marks.Peer }),
		one("flow_control", eval.OneOf("pfc", "pause"), "flow_control of the fabric",
			"How these links are made lossless: priority flow control, or link pause.\nSee [link](language.md#link-name).",
			func(k *linkBlock) *Value[string] { return &k.FlowControl }),
		off("bond", "true: the cables between two of the switches are one bond (LAG).\nSee [link](language.md#link-name).",
			func(k *linkBlock) *Value[bool] { return &k.marks.Bond }),
		off("planned",
			"true: the cables are not laid yet. They are rendered as all others, judged with and without, and expected to be "+
				"down.\nSee [link](language.md#link-name).", func(k *linkBlock) *Value[bool] { return &k.marks.Planned }),
	}
}

var linkSchema = schema[linkBlock]{
	block: "link", label: "NAME", forEach: true, doc: "Cables, pairwise: the first of a to the first of b, and so on.",
	attrs: linkAttrs("a", "One side.", "b", "The other side, with as many endpoints."),
}

var meshSchema = schema[linkBlock]{
	block: "mesh", label: "NAME", forEach: true, doc: "Complete bipartite wiring: every lower device to every upper device.",
	attrs: linkAttrs("lower", "The lower devices and their ports: each device's k-th port goes to the k-th upper device.", "upper",
		"The upper devices and their ports: each device's i-th port goes to the i-th lower device."),
}

var topologySchema = schema[linkBlock]{
	block: "topology", label: "NAME", doc: "Cables from a file people have already. What the file says of a cable wins over what is said " +
		"here.",
	attrs: append([]attr[linkBlock]{
		must(one("format", eval.OneOf(topology.Names()...), "", "What kind of file it is.",
			func(k *linkBlock) *Value[string] { return &k.format })),
		must(one("file", eval.FilePath, "", "The file, below the folder of this file.", func(k *linkBlock) *Value[string] { return &k.file })),
		many("ignore", eval.Glob, "none",
			"Names of devices whose cables are left out, with * and ? for what varies.\n`[ab]` is one of those characters.",
			func(k *linkBlock) *[]Value[string] { return &k.ignore }),
		many("sheets", eval.FilePath, "none",
			"Sheets of the same inventory, below the folder of this file: front ports, rear ports, interfaces, devices.\nSee "+
				"[topology](language.md#topology-name).", func(k *linkBlock) *[]Value[string] { return &k.sheets }),
		off("fold_names",
			"true: names that the file writes in another way are read as a fabric writes them, LEAF01 as leaf01, Ethernet1/1 "+
				"as Ethernet1-1.\nSee [topology](language.md#topology-name).", func(k *linkBlock) *Value[bool] { return &k.fold }),
		{
			name: "columns", kind: "map of string", def: "{}",
			doc: "Headers of a sheet, by the name of the column: { a_device = \"Source Device\" }.", set: setColumns,
		},
	}, cableAttrs()...),
	blocks: []child[linkBlock]{
		blocksOf(&cablesSchema, false, initCables, func(k *linkBlock, i int, c *linkBlock) { k.cables = put(k.cables, i, c) }),
	},
}

var cablesSchema = schema[linkBlock]{
	block: "cables", label: "SELECTOR",
	doc: "Values for single cables of the file. They win over those of the file and of the topology block.",
	attrs: append([]attr[linkBlock]{
		off("ignore", "true: these cables are left out.", func(k *linkBlock) *Value[bool] { return &k.drop }),
	}, cableAttrs()...),
}
