package outline

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// world is a fabric with one example of each kind of name. Each test adds a file, with a | for the cursor.
const world = `
fabric "f" { routing = "up-down" }
cos_group "rdma" {
  cos      = 4
  lossless = true
}
cos_group "cnp" { cos = 6 }
roce "x" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu, "store1:ens1f0"]
}
switch "leaf" {
  names = "leaf[01-03]"
  model = "sn2700"
}
switch "spine" { model = "lab4" }
switch_model "lab4" {
  asic  = "spectrum"
  ports = 4
  speed = "100G"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens[1-2]f0" { model = "connectx-5" }
}
host "store" {
  names = "store1"
  nic "ens1f0" { model = "connectx-5" }
}
link "l" {
  a = "gpu[1-2]:ens1f0, store1:ens1f0"
  b = "leaf[01-03]:swp1"
}
mesh "m" {
  lower = "leaf01:swp31,swp32"
  upper = "spine:swp[1-2]"
}
variable "leaves" {
  type        = number
  default     = 3
  description = "How many."
}
locals {
  twice = var.leaves * 2
  other = local.twice + 1
}
module "pod" {
  source = "./pod"
  size   = 3
}
`

const pod = `
variable "size" { type = number }
variable "speed" {
  default     = "100G"
  description = "Of the uplinks."
}
output "hosts" { value = host.gpu }
`

// around returns the workspace of the world and a text with a cursor.
func around(text string) (s *Workspace, o *File, offset int) {
	offset = strings.IndexByte(text, '|')
	o = New("x.hcl", []byte(text[:max(offset, 0)]+text[offset+1:]))
	files := []*File{New("world.hcl", []byte(world)), o}
	inside := []*File{New("pod/pod.hcl", []byte(pod))}
	return &Workspace{
		Folder: files, Fabric: slices.Concat(files, inside),
		Module: func(source string) []*File {
			if source == "./pod" {
				return inside
			}
			return nil
		},
		Known: Known{
			SwitchModels: []string{"sn2700", "sn3700"}, NICModels: []string{"connectx-5"}, ASICs: []string{"spectrum"}, Families: []string{"mlx5"},
			Systems: []string{"cumulus-linux"},
			Ports: func(system, model string, count int) []string {
				switch {
				case system == "other":
					return []string{"Ethernet0"}
				case model == "sn2700":
					return []string{"swp1", "swp2", "swp31"}
				}
				var out []string
				for i := range count {
					out = append(out, fmt.Sprint("swp", i+1))
				}
				return out
			},
		},
	}, o, offset
}

func TestComplete(t *testing.T) {
	for _, tc := range []struct {
		text string
		want string // labels that must be in the list; after a !, labels that must not be in it; "-" for an empty list
	}{
		// Items.
		{"|", "cos_group switch host link ! fabric mtu"},
		{"sw|", "switch switch_model ! host"},
		{"sw|itch \"x\" {\n}", "switch"},
		{"switch \"x\" {\n  |\n}", "model names tier by_hand ssh for_each ! nic fabric"},
		{"switch \"x\" {\n  mo|\n}", "model ! names"},
		{"switch \"x\" {\n  model = \"a\"\n  |\n}", "names ! model"},
		{"switch \"x\" {\n  mo|del = \"a\"\n}", "model ! mlag"},
		{"switch \"x\" { | }", "model"},
		{"switch \"x\" {\n  |", "model names"},
		{"switch \"x\" {\n  |\nhost \"y\" {\n}\n", "model ! nic"},
		{"switch \"x\" {\n  model = \nhost \"y\" {\n  |\n}\n", "nic names ! model"},
		{"host \"x\" {\n  nic \"e\" {\n    |\n  }\n}", "model mtu traffic_class ! names"},
		{"cos_group \"x\" {\n  ecn {\n    |", "min max probability ! cos"},
		{"switch \"|\" {}", "-"},
		{"switch \"x\" |", "-"},
		{"foo |", "-"},
		{"switch \"x\" {\n  model |\n}", "-"},
		{"unknown {\n  |\n}", "-"},
		{"# com|ment", "-"},
		{"/* com|ment */", "-"},
		{"a = 1 # |", "-"},
		{"module \"pod\" {\n  source = \"./pod\"\n  |\n}", "size speed"},
		{"locals {\n  |\n}", "-"},
		// Values.
		{"roce \"x\" {\n  cos_group = |\n}", "cos_group.rdma cos_group.cnp var local format ! cos_group.x switch.leaf"},
		{"roce \"x\" {\n  cos_group = cos_group.|\n}", "rdma cnp ! format"},
		{"roce \"x\" {\n  cos_group = cos_group.|\n  cnp = cos_group.cnp\n}", "rdma cnp"},
		{"roce \"x\" {\n  cos_group = cos_group.r|\n}", "rdma ! cnp"},
		{"roce \"x\" {\n  cos_group = cos_group.|", "rdma cnp"},
		{"roce \"x\" {\n  members = [host.|\n  vlan = 3\n}", "gpu store"},
		{"roce \"x\" {\n  members = [|]\n}", "host.gpu host.store"},
		{"fabric \"x\" {\n  routing = |\n}", "up-down ebgp"},
		{"fabric \"x\" {\n  routing = \"|\n}", "up-down ebgp"},
		{"fabric \"x\" {\n  routing = \"|\"\n}", "up-down ebgp"},
		{"fabric \"x\" {\n  routing = \"e|\"\n}", "ebgp ! up-down"},
		{"fabric \"x\" {\n  routing = \"up-down\"|\n}", "-"},
		{"cos_group \"x\" {\n  lossless = |\n}", "true false"},
		{"accept \"leaf*\" {\n  differs = [\"headroom\", \"|\"]\n}", "limits maps shares ! pfc"},
		{"cos_group \"x\" {\n  lossless = t|\n}", "true tolist ! false"},
		{"cos_group \"x\" {\n  dscp = [\"af3|\"]\n}", "af31 af32 af33 ! ef"},
		{"switch \"x\" {\n  model = \"|\"\n}", "sn2700 lab4 ! connectx-5"},
		{"switch \"x\" {\n  os = \"|\"\n}", "cumulus-linux"},
		{"host \"x\" {\n  nic \"e\" { model = \"|\" }\n}", "connectx-5 ! sn2700"},
		{"link \"y\" {\n  speed = \"|\"\n}", "100G 25G"},
		{"switch \"x\" {\n  tier = var.|\n}", "leaves"},
		{"switch \"x\" {\n  tier = local.|\n}", "twice other"},
		{"switch \"x\" {\n  tier = self.|\n}", "index name group ! key"},
		{"switch \"x\" {\n  names = \"${var.|}-leaf\"\n}", "leaves"},
		{"switch \"x\" {\n  names = \"${var.|\n  tier = 1\n}", "leaves"},
		{"switch \"x\" {\n  names = \"${var.|\n}\nhost \"y\" {}\n", "leaves"},
		{"switch \"x\" {\n  tier = module.|\n}", "pod"},
		{"switch \"x\" {\n  tier = module.pod.|\n}", "hosts"},
		{"switch \"x\" {\n  tier = module.pod[\"a\"].|\n}", "hosts"},
		{"variable \"x\" {\n  type = |\n}", "string number list"},
		{"locals {\n  x = cei|\n}", "ceil ! format"},
		{"locals {\n  x = 4 |\n}", "-"},
		{"locals {\n  x = nothing.|\n}", "-"},
		// Completion of names in nodesets.
		{"link \"y\" {\n  a = \"|\"\n}", "leaf[01-03] leaf01 leaf03 gpu1 spine"},
		{"link \"y\" {\n  a = \"lea|\"\n}", "leaf[01-03] leaf02 ! gpu1"},
		{"link \"y\" {\n  a = \"leaf01:|\"\n}", "swp1 swp31 ! leaf01"},
		{"link \"y\" {\n  a = \"leaf[01-02]:swp3|\n  b = \"x\"\n}", "swp31 ! swp1"},
		{"link \"y\" {\n  a = \"spine:|\"\n}", "swp1 swp4 ! swp5"},
		{"link \"y\" {\n  a = \"gpu1:|\"\n}", "ens1f0 ens2f0"},
		{"switch \"z\" {\n  model = \"sn2700\"\n  os = \"other\"\n}\nlink \"y\" {\n  a = \"z:|\"\n}", "Ethernet0 ! swp1"},
		{"link \"y\" {\n  a = \"gpu1:ens1f0,|\"\n}", "ens2f0 leaf01"},
		{"link \"y\" {\n  a = \"leaf[0|\"\n}", "-"},
		{"link \"y\" {\n  a = [\"leaf01:swp1\", \"le|\"]\n}", "leaf02"},
		{"roce \"y\" {\n  members = [\"|\"]\n}", "gpu1 store1 ! leaf01"},
		{"host \"y\" {\n  nic \"eth[1-2]\" {}\n  bond \"b\" {\n    nics = [\"|\"]\n  }\n}", "eth1 eth2"},
		{"switch \"y\" {\n  names = \"|\"\n}", "-"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			s, o, offset := around(tc.text)
			list, _ := s.Complete(o, offset)
			var got []string
			for _, c := range list {
				got = append(got, c.Label)
				require.LessOrEqual(t, c.At.Start.Byte, offset)
				require.GreaterOrEqual(t, c.At.End.Byte, offset)
			}
			if tc.want == "-" {
				require.Empty(t, got)
				return
			}
			yes, no, _ := strings.Cut(tc.want, "!")
			for w := range strings.FieldsSeq(yes) {
				assert.Contains(t, got, w)
			}
			for w := range strings.FieldsSeq(no) {
				assert.NotContains(t, got, w)
			}
		})
	}
}

// The text after a candidate is accepted.
func TestCompleteInserts(t *testing.T) {
	for _, tc := range []struct{ text, label, want string }{
		{"sw|", "switch", "switch \"$1\" {\n  $0\n}"},
		{"sw|itch \"x\" {\n}", "switch", "switch \"x\" {\n}"},
		{"cos_group \"x\" {\n  e|\n}", "ecn", "cos_group \"x\" {\n  ecn {\n  $0\n}\n}"},
		{"fabric \"x\" {\n  routing = \"e|\"\n}", "ebgp", "fabric \"x\" {\n  routing = \"ebgp\"\n}"},
		{"fabric \"x\" {\n  routing = |\n}", "ebgp", "fabric \"x\" {\n  routing = \"ebgp\"\n}"},
		{"fabric \"x\" {\n  rou|\n}", "routing", "fabric \"x\" {\n  routing = \"$0\"\n}"},
		{"cos_group \"x\" {\n  dsc|\n}", "dscp", "cos_group \"x\" {\n  dscp = [$0]\n}"},
		{"cos_group \"x\" {\n  co| = 3\n}", "cos", "cos_group \"x\" {\n  cos = 3\n}"},
		{"link \"y\" {\n  a = \"leaf01:swp1, le|af02:swp1\"\n}", "leaf03", "link \"y\" {\n  a = \"leaf01:swp1, leaf03:swp1\"\n}"},
		{"link \"y\" {\n  a = \"leaf01:s|\"\n}", "swp2", "link \"y\" {\n  a = \"leaf01:swp2\"\n}"},
		{"roce \"x\" {\n  cos_group = cos_|\n}", "cos_group.rdma", "roce \"x\" {\n  cos_group = cos_group.rdma\n}"},
		{"locals {\n  x = for|\n}", "format", "locals {\n  x = format($0)\n}"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			s, o, offset := around(tc.text)
			list, _ := s.Complete(o, offset)
			i := slices.IndexFunc(list, func(c Candidate) bool { return c.Label == tc.label })
			require.GreaterOrEqual(t, i, 0)
			src := string(o.Text())
			assert.Equal(t, tc.want, src[:list[i].At.Start.Byte]+list[i].Insert+src[list[i].At.End.Byte:])
		})
	}
}

func places(ranges []diag.Range) string {
	var out []string
	for _, r := range ranges {
		out = append(out, fmt.Sprintf("%s:%d:%d-%d", r.Filename, r.Start.Line, r.Start.Column, r.End.Column))
	}
	return strings.Join(out, " ")
}

func TestDefinitionAndReferences(t *testing.T) {
	for _, tc := range []struct{ text, thing, definition, references string }{
		{"roce \"y\" { cos_group = cos_group.rd|ma }", "name cos_group rdma", "world.hcl:3:12-16", "world.hcl:10:25-29 x.hcl:1:34-38"},
		{"roce \"y\" { cos_group = cos_gr|oup.rdma }", "name cos_group rdma", "world.hcl:3:12-16", "world.hcl:10:25-29 x.hcl:1:34-38"},
		{"roce \"y\" { cos_group = cos_group[\"rd|ma\"] }", "name cos_group rdma", "world.hcl:3:12-16", "world.hcl:10:25-29 x.hcl:1:35-39"},
		{"cos_group \"n|ew\" {}\nroce \"y\" { cos_group = cos_group.new }", "name cos_group new", "x.hcl:1:12-15", "x.hcl:2:34-37"},
		{"locals { x = var.le|aves }", "name variable leaves", "world.hcl:39:11-17", "world.hcl:45:15-21 x.hcl:1:18-24"},
		{"locals { x = local.tw|ice }", "name local twice", "world.hcl:45:3-8", "world.hcl:46:17-22 x.hcl:1:20-25"},
		{"locals { x| = local.x }", "name local x", "x.hcl:1:10-11", "x.hcl:1:20-21"},
		{"locals { x = \"a${var.leaves|}\" }", "name variable leaves", "world.hcl:39:11-17", "world.hcl:45:15-21 x.hcl:1:22-28"},
		{"locals { x = module.po|d.hosts }", "name module pod", "world.hcl:48:9-12", "x.hcl:1:21-24"},
		{"locals { x = module.pod.ho|sts }", "name output pod.hosts", "pod/pod.hcl:7:9-14", "x.hcl:1:25-30"},
		{"module \"pod\" {\n  source = \"./pod\"\n  spe|ed = 3\n}", "attribute  speed", "pod/pod.hcl:3:11-16", ""},
		{"locals { x = [for host in y : host.gpu|] }", "", "", ""},
		{"switch \"y\" { model = \"lab|4\" }", "name switch_model lab4", "world.hcl:18:15-19", "world.hcl:17:27-31 x.hcl:1:23-27"},
		{"link \"y\" { a = \"le|af02:swp9\" }", "devices  leaf02", "world.hcl:14:12-23", "world.hcl:33:8-19 x.hcl:1:17-23"},
		{"link \"y\" { a = \"leaf02:sw|p9\" }", "interfaces leaf02 swp9", "world.hcl:13:9-13", ""},
		{"link \"y\" { a = \"gpu2:en|s2f0\" }", "interfaces gpu2 ens2f0", "world.hcl:25:8-18", ""},
		{"link \"y\" { a = \"spi|ne:swp1\" }", "devices  spine", "world.hcl:17:9-14", "world.hcl:37:12-17 x.hcl:1:17-22"},
		{"switch \"y\" { names = \"u[1-|2]\" }\nlink \"z\" { a = \"u1:swp1\" }", "devices  u[1-2]", "x.hcl:1:23-29", "x.hcl:2:17-19"},
		{"switch \"y\" { names = \"u{a,|b}\" }\nlink \"z\" { a = \"ua:swp1\" }", "devices  u{a,b}", "x.hcl:1:23-29", "x.hcl:2:17-19"},
		{"link \"y\" { a = \"leaf0|2:swp[1-${var.leaves}]\" }", "devices  leaf02", "world.hcl:14:12-23", "world.hcl:33:8-19 x.hcl:1:17-23"},
		{"# é\nlocals { x = \"é${var.leaves|}\" }", "name variable leaves", "world.hcl:39:11-17", "world.hcl:45:15-21 x.hcl:2:22-28"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			s, o, offset := around(tc.text)
			thing, ok := o.At(offset)
			if tc.thing == "" {
				require.Empty(t, s.Definition(thing))
				return
			}
			require.True(t, ok)
			kind := map[ThingKind]string{
				ThingName: "name", ThingDevices: "devices", ThingInterfaces: "interfaces",
				ThingAttribute: "attribute",
			}[thing.Kind]
			of := thing.Of
			if thing.Kind == ThingAttribute {
				of = ""
			}
			assert.Equal(t, tc.thing, kind+" "+of+" "+thing.Name)
			assert.Equal(t, tc.definition, places(s.Definition(thing)))
			assert.Equal(t, tc.references, places(s.References(thing, false)))
		})
	}
}

func TestDoc(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"sw|itch \"x\" {}", "A group of switches with the same settings."},
		{"switch \"x\" { mo|del = 1 }", "`model` (string, required)"},
		{"switch \"x\" { o|s = \"x\" }", "`os` (string, default \"cumulus-linux\")"},
		{"fabric \"x\" { routing = \"up-|down\" }", "How lossless traffic is forwarded"},
		{"switch \"x\" { for_|each = {} }", "each.key"},
		{"locals { x = for|mat(\"a\") }", "`format(format, value...)`"},
		{"switch \"x\" { tier = self.in|dex }", "from 0"},
		{"locals { x = var.le|aves }", "How many."},
		{"locals { x = local.tw|ice }", "local.twice = var.leaves * 2"},
		{"roce \"y\" { cos_group = cos_group.rd|ma }", "lossless = true"},
		{"locals { x = module.pod.ho|sts }", "value = host.gpu"},
		{"module \"pod\" {\n  source = \"./pod\"\n  spe|ed = 3\n}", "Of the uplinks."},
		{"link \"y\" { a = \"leaf[01-0|2]:swp9\" }", "2 devices\n\nof switch.leaf (sn2700)"},
		{"locals { x = cos_group.n|o }", ""},
		{"locals { x = \"a|b\" }", ""},
	} {
		s, o, offset := around(tc.text)
		thing, _ := o.At(offset)
		doc := s.Doc(thing)
		if tc.want == "" {
			assert.Empty(t, doc, tc.text)
			continue
		}
		assert.Contains(t, doc, tc.want, tc.text)
	}
}

func TestSymbols(t *testing.T) {
	o := New("x.hcl", []byte("cos_group \"a\" {\n  cos = 1\n  ecn {\n    min = 2\n  }\n}\nlocals { x = [1,\n2] }\nssh {"))
	var lines []string
	var walk func(in string, l []Symbol)
	walk = func(in string, l []Symbol) {
		for _, s := range l {
			lines = append(lines, fmt.Sprintf("%s%s %s %s %d-%d", in, s.Kind, s.Name, s.Detail, s.Whole.Start.Line, s.Whole.End.Line))
			walk(in+"  ", s.Children)
		}
	}
	walk("", o.Symbols())
	assert.Equal(t, []string{
		"cos_group a  1-6", "  attribute cos 1 2-2", "  ecn   3-5", "    attribute min 2 4-4",
		"locals   7-8", "  local x [1,... 7-8", "ssh   9-9",
	}, lines)
}

// corpus returns every fabric file of the repository.
func corpus(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".hcl") && !e.IsDir() {
			out[name], err = os.ReadFile("../../" + name)
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, out)
	return out
}

// For valid text, the outline has the same blocks and attributes as the parser.
func TestOutlineAgreesWithParser(t *testing.T) {
	for name, src := range corpus(t) {
		file, ds := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
		if ds.HasErrors() {
			continue
		}
		var want, got []string
		var parsed func(path string, b *hclsyntax.Body)
		parsed = func(path string, b *hclsyntax.Body) {
			for _, a := range parse.Attributes(b) {
				want = append(want, fmt.Sprintf("%s%s %s = %d", path, a.Name, a.NameRange, a.Expr.Range().End.Byte))
			}
			for _, b := range b.Blocks {
				want = append(want, fmt.Sprintf("%s%s %v %v", path, b.Type, b.Labels, b.CloseBraceRange.End))
				parsed(path+b.Type+".", b.Body)
			}
		}
		parsed("", file.Body.(*hclsyntax.Body))
		o := New(name, src)
		var seen func(path string, n *outlineBlock)
		seen = func(path string, n *outlineBlock) {
			for _, a := range n.attrs {
				got = append(got, fmt.Sprintf("%s%s %s = %d", path, a.text, o.at(a.name), a.value.to))
			}
			for _, b := range n.blocks {
				labels := []string{}
				for _, l := range b.labels {
					labels = append(labels, o.slice(l))
				}
				got = append(got, fmt.Sprintf("%s%s %v %v", path, b.kind, labels, o.at(b.whole).End))
				seen(path+b.kind+".", b)
			}
		}
		seen("", o.root)
		require.Equal(t, want, got, name)
	}
}

// In fabrics that load, every reference has a definition. Every device that is named in literal text also has a definition, unless its
// block computes the name.
func TestEveryReferenceHasADefinition(t *testing.T) {
	byFolder := map[string][]*File{}
	for name, src := range corpus(t) {
		if strings.HasPrefix(name, "examples/") {
			byFolder[path.Dir(name)] = append(byFolder[path.Dir(name)], New(name, src))
		}
	}
	refs, devices := 0, 0
	for folder, files := range byFolder {
		s := &Workspace{Folder: files, Fabric: files, Module: func(source string) []*File { return byFolder[path.Join(folder, source)] }}
		computed := false
		for _, o := range files {
			o.root.walk(func(n *outlineBlock) {
				if a := n.find("names"); a != nil && declaresDevices(n) {
					_, plain := o.plainString(a.first)
					computed = computed || !plain
				}
			})
		}
		for _, o := range files {
			for r := range o.refs() {
				refs++
				assert.NotEmpty(t, s.Definition(r), "%s: %s %s", r.At, r.Of, r.Name)
				thing, ok := o.At(r.At.Start.Byte)
				assert.True(t, ok && thing == r, "%s: %+v", r.At, thing)
			}
			for _, n := range o.namings() {
				if n.device.from < 0 || n.declares || computed {
					continue
				}
				devices++
				thing := Thing{Kind: ThingDevices, Name: o.slice(n.device)}
				assert.NotEmpty(t, s.Definition(thing), "%s %s", o.at(n.device), thing.Name)
				assert.Contains(t, s.References(thing, false), o.at(n.device))
			}
		}
	}
	assert.Greater(t, refs, 50)
	assert.Greater(t, devices, 30)
}

// If the end of a file is cut off, the outline has the blocks before the cut.
func TestOutlineOfHalfAFile(t *testing.T) {
	whole := New("w", []byte(world))
	starts := map[int]int{}
	for i, b := range whole.root.blocks {
		starts[b.whole.to] = i + 1
	}
	done := 0
	for cut := range len(world) {
		if n, ok := starts[cut]; ok {
			done = n
		}
		o := New("w", []byte(world[:cut]))
		require.GreaterOrEqual(t, len(o.root.blocks), done, world[:cut])
		for i := range done {
			require.Equal(t, whole.root.blocks[i].whole, o.root.blocks[i].whole)
		}
	}
}

// If a quote, brace or bracket is missing in a file, the outline has the blocks after it.
func TestOutlineWithAHole(t *testing.T) {
	whole := New("w", []byte(world))
	for i, c := range []byte(world) {
		if !strings.ContainsRune("\"{}[]()=.", rune(c)) {
			continue
		}
		o := New("w", []byte(world[:i]+world[i+1:]))
		for _, b := range whole.root.blocks {
			if b.whole.from <= i {
				continue
			}
			found := slices.ContainsFunc(o.root.blocks, func(x *outlineBlock) bool {
				return x.kind == b.kind && x.whole == span{b.whole.from - 1, b.whole.to - 1}
			})
			require.True(t, found, "%s %s is lost without the %q at %d", b.kind, whole.label(b), c, i)
		}
	}
}

func FuzzOutline(f *testing.F) {
	for _, src := range corpus(f) {
		if len(src) < 8000 {
			f.Add(string(src), uint(len(src)/2))
		}
	}
	f.Add(world, uint(300))
	f.Add("a = \"${\"${\"${", uint(5))
	f.Add("x \"", uint(3))
	f.Fuzz(func(t *testing.T, text string, at uint) {
		if len(text) > 1<<16 {
			return
		}
		o := New("x.hcl", []byte(text))
		files := []*File{New("world.hcl", []byte(world)), o}
		s := &Workspace{Folder: files, Fabric: files, Module: func(string) []*File { return files }}
		offset := int(at % uint(len(text)+1))
		list, _ := s.Complete(o, offset)
		require.LessOrEqual(t, len(list), mostCandidates)
		for _, c := range list {
			require.LessOrEqual(t, c.At.Start.Byte, offset)
			require.GreaterOrEqual(t, c.At.End.Byte, offset)
		}
		thing, ok := o.At(offset)
		if ok {
			if thing.Kind != ThingName { // the first word of a reference also stands for the reference
				require.LessOrEqual(t, thing.At.Start.Byte, offset)
			}
			require.GreaterOrEqual(t, thing.At.End.Byte, offset)
		}
		s.Doc(thing)
		for _, r := range s.References(thing, true) {
			require.LessOrEqual(t, r.Start.Byte, r.End.Byte)
		}
		o.Symbols()
	})
}
