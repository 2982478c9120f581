package lang

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files returns a file system with texts.
func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

const podModule = `
variable "name" { type = string }
variable "leafs" { default = 2 }
variable "group" {}
locals { last = format("%02d", var.leafs) }
switch "leaf" {
  names = "${var.name}-leaf[01-${local.last}]"
  model = "sn2700"
  mlag  = "${var.name}-${self.group}"
}
host "gpu" {
  names = "${var.name}-gpu[01-${local.last}]"
  nic "eth0" { model = "connectx-5" }
}
link "hosts" {
  a = "${var.name}-gpu[01-${local.last}]:eth0"
  b = "${var.name}-leaf[01-${local.last}]:swp1"
}
roce "local" {
  version   = 2
  cos_group = var.group
  members   = [host.gpu]
}
output "hosts" { value = host.gpu }
output "uplinks" { value = "${var.name}-leaf[01-${local.last}]:swp[31-32]" }
`

func TestModules(t *testing.T) {
	fsys := files(map[string]string{
		"f/fabric.hcl": `
fabric "f" {}
cos_group "rdma" { cos = 3 }
locals { pods = toset(["a", "b"]) }
module "pod" {
  source   = "./pod"
  for_each = local.pods
  name     = each.key
  leafs    = 2
  group    = cos_group.rdma
}
module "odd" {
  source = "./pod"
  name   = "odd"
  group  = module.classes.fast
}
module "classes" { source = "../classes" }
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [for p in local.pods : module.pod[p].hosts]
}
roce "one" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [module.odd.hosts]
}
switch "spine" {
  names = "spine[1-2]"
  model = "sn2700"
}
mesh "up" {
  for_each = local.pods
  lower    = module.pod[each.key].uplinks
  upper    = "spine[1-2]:swp[${each.key == "a" ? "1-2" : "3-4"}]"
}
`,
		"f/pod/pod.hcl": podModule,
		"classes/classes.hcl": `
cos_group "fast" { cos = 4 }
output "fast" { value = cos_group.fast }
`,
	})
	s, ds := Load(fsys, "f", Options{})
	require.Empty(t, show(s, ds))
	var names, groups, links []string
	for _, sw := range s.Switches {
		names = append(names, sw.Name+" "+sw.Group+" "+sw.MLAG.V)
	}
	assert.Equal(t, []string{
		"spine1 spine ", "spine2 spine ",
		`a-leaf01 pod[a].leaf a-leaf`, `a-leaf02 pod[a].leaf a-leaf`, `b-leaf01 pod[b].leaf b-leaf`, `b-leaf02 pod[b].leaf b-leaf`,
		"odd-leaf01 odd.leaf odd-leaf", "odd-leaf02 odd.leaf odd-leaf",
	}, names)
	for _, r := range s.Roces {
		var text strings.Builder
		text.WriteString(r.Name + " " + r.CosGroup.V + ":")
		for _, m := range r.Members {
			text.WriteString(" " + m.Group)
		}
		groups = append(groups, text.String())
	}
	assert.Equal(t, []string{
		`all rdma: pod[a].gpu pod[b].gpu`, "one rdma: odd.gpu",
		`pod[a].local rdma: pod[a].gpu`, `pod[b].local rdma: pod[b].gpu`, "odd.local fast: odd.gpu",
	}, groups)
	for _, l := range s.Links {
		links = append(links, l.Block.Name+" "+l.A.Device+" "+l.B.Device)
	}
	assert.Equal(t, 4+4+6, len(links), links)
	assert.Equal(t, `up[a] a-leaf01 spine1`, links[0])
	assert.Equal(t, `pod[a].hosts a-gpu01 a-leaf01`, links[8])
	assert.Len(t, s.CosGroups, 2)
	assert.Contains(t, s.Files, "classes/classes.hcl")
}

// Every mistake with modules is reported once, at the wrong place.
func TestModuleMistakes(t *testing.T) {
	for _, c := range []struct {
		name, call, module string
		want               []string // "file:line code: text"
	}{
		{"no source", `module "m" {}`, ``, []string{"fabric.hcl:2 missing-attribute: source = \"./pod\""}},
		{"computed source", `module "m" { source = "./${"m"}" }`, ``, []string{"fabric.hcl:2 wrong-type: as a literal in quotes"}},
		{"bare source", `module "m" { source = "m" }`, ``, []string{`fabric.hcl:2 bad-value: Did you mean "./m"?`}},
		{"absolute source", `module "m" { source = "/m" }`, ``, []string{`fabric.hcl:2 bad-value: begins with "./"`}},
		{
			"fetched source", `module "m" { source = "git::https://example.net/x" }`, ``,
			[]string{`fabric.hcl:2 bad-value: Modules are not fetched from other places`},
		},
		{"own folder", `module "m" { source = "./" }`, ``, []string{`fabric.hcl:2 bad-value: not a folder of a module`}},
		{"own folder again", `module "m" { source = "../f" }`, ``, []string{`fabric.hcl:2 module-cycle: "f" -> "f"`}},
		{"missing folder", `module "m" { source = "./n" }`, ``, []string{`fabric.hcl:2 unreadable: "f/n"`}},
		{"cycle", `module "m" { source = "./m" }`, `module "again" { source = "../m" }`, []string{`m/m.hcl:1 module-cycle: "f/m" -> "f/m"`}},
		{"unknown value", `module "m" {
  source = "./m"
  nam    = "x"
}`, `variable "name" { default = "y" }`, []string{`fabric.hcl:4 undeclared-variable: Did you mean "name"?`}},
		{"missing value", `module "m" { source = "./m" }`, `variable "name" {}`, []string{`fabric.hcl:2 missing-attribute: Write name = ...`}},
		{"wrong type", `module "m" {
  source = "./m"
  leafs  = "many"
}`, `variable "leafs" { type = number }`, []string{`fabric.hcl:4 bad-variable: declared as number`}},
		{"failed validation", `module "m" {
  source = "./m"
  leafs  = 99
}`, `variable "leafs" {
  validation {
    condition     = var.leafs < 33
    error_message = "A spine has 32 ports."
  }
}`, []string{`fabric.hcl:4 failed-validation: 32 ports`}},
		{"broken value", `module "m" {
  source = "./m"
  leafs  = local.lefs
}`, `variable "leafs" {}
switch "x" {
  model = "sn2700"
  tier  = var.leafs
}`, []string{`fabric.hcl:4 unknown-reference: no local.lefs`}},
		{"a block inside", `module "m" {
  source = "./m"
  leafs {}
}`, `variable "leafs" { default = 1 }`, []string{`fabric.hcl:4 unknown-block: only attributes`}},
		{"fabric inside", `module "m" { source = "./m" }`, `fabric "m" {}`, []string{`m/m.hcl:1 misplaced-block: Delete it here`}},
		{"ssh inside", `module "m" { source = "./m" }`, `ssh {}`, []string{`m/m.hcl:1 misplaced-block: one ssh block`}},
		{"names of the outside", `module "m" { source = "./m" }`, `roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = ["a"]
}`, []string{`m/m.hcl:3 unknown-reference: Give it to the module by a variable, such as rdma = cos_group.rdma`}},
		{"unknown output", `module "m" { source = "./m" }
locals { x = module.m.hots }`, `output "hosts" { value = 1 }`, []string{`fabric.hcl:3 unknown-reference: Did you mean "hosts"?`}},
		{
			"a variable is not output", `module "m" { source = "./m" }
locals { x = module.m.name }`, `variable "name" { default = 1 }`,
			[]string{`fabric.hcl:3 unknown-reference: Write an output block in the module`},
		},
		{"an output with a mistake", `module "m" { source = "./m" }
locals { x = module.m.hosts }`, `output "hosts" { value = host.gpu }`, []string{`m/m.hcl:1 unknown-reference: no host.gpu`}},
		{"unknown module", `locals { x = module.n.hosts }`, ``, []string{`fabric.hcl:2 unknown-reference: no module.n`}},
		{"without key", `module "m" {
  source   = "./m"
  for_each = toset(["a"])
}
locals { x = module.m.hosts }`, `output "hosts" { value = 1 }`, []string{`fabric.hcl:6 unknown-reference: Write module.m["KEY"].hosts`}},
		{"wrong key", `module "m" {
  source   = "./m"
  for_each = toset(["abc"])
}
locals { x = module.m["abd"].hosts }`, `output "hosts" { value = 1 }`, []string{`fabric.hcl:6 unknown-reference: Did you mean "abc"?`}},
		{"circle with a local", `module "m" {
  source = "./m"
  name   = local.x
}
locals { x = module.m.hosts }`, `variable "name" {}
output "hosts" { value = var.name }`, []string{`fabric.hcl:2 reference-cycle: module.m -> local.x -> module.m`}},
		{"same names twice", `module "m" {
  source   = "./m"
  for_each = toset(["a", "b"])
}`, `switch "x" { model = "sn2700" }`, []string{`m/m.hcl:1 duplicate-name: Make the names differ`}},
		{"shared names twice", `module "m" {
  source   = "./m"
  for_each = toset(["a", "b"])
}`, `cos_group "x" { cos = 1 }`, []string{`m/m.hcl:1 duplicate-name: every instance of this module declares "x"`}},
		{"a shared name taken", `module "m" { source = "./m" }
cos_group "x" { cos = 2 }`, `cos_group "x" { cos = 1 }`, []string{`m/m.hcl:1 duplicate-name: another one named "x"`}},
		{"a mistake once for all instances", `module "m" {
  source   = "./m"
  for_each = toset(["a", "b"])
}`, `switch "${var.x}" {}`, []string{`m/m.hcl:1 syntax:`}},
		{"an unknown attribute once", `module "m" {
  source   = "./m"
  for_each = toset(["a", "b"])
  name     = each.key
}`, `variable "name" {}
switch "x" {
  names = var.name
  modle = "sn2700"
  model = "sn2700"
}`, []string{`m/m.hcl:4 unknown-attribute: Did you mean "model"?`}},
		{
			"a file outside", `module "m" { source = "./m" }`, `locals { x = file("../fabric.hcl") }`,
			[]string{`m/m.hcl:1 bad-expression: path of a file below`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := files(map[string]string{
				"f/fabric.hcl": "fabric \"f\" {}\n" + c.call + "\ncos_group \"rdma\" { cos = 3 }\n",
				"f/m/m.hcl":    c.module,
			})
			s, ds := Load(fsys, "f", Options{})
			var got []string
			for _, d := range ds {
				got = append(got, fmt.Sprintf("%s:%d %s: %s", strings.TrimPrefix(d.At.Filename, "f/"), d.At.Start.Line, d.Code, d.Detail))
				if strings.HasPrefix(d.At.Filename, "f/m/") {
					assert.Equal(t, "in the module called here", d.Notes[len(d.Notes)-1].Message)
				}
			}
			require.Len(t, got, len(c.want), show(s, ds))
			for i, want := range c.want {
				place, text, _ := strings.Cut(want, ": ")
				assert.True(t, strings.HasPrefix(got[i], place), got[i])
				assert.Contains(t, got[i], text)
			}
		})
	}
}

// Modules that would expand to too many instances are refused before they are expanded.
func TestModuleBomb(t *testing.T) {
	texts := map[string]string{"f/fabric.hcl": `
fabric "f" {}
module "m" {
  source   = "./m0"
  for_each = toset([for i in range(100) : "k${i}"])
}`}
	for i := range 8 {
		texts[fmt.Sprintf("f/m%d/m.hcl", i)] = fmt.Sprintf(`
module "m" {
  source   = "../m%d"
  for_each = toset([for i in range(100) : "k${i}"])
}`, i+1)
	}
	texts["f/m8/m.hcl"] = `variable "x" { default = 1 }`
	s, ds := Load(files(texts), "f", Options{})
	require.NotEmpty(t, ds)
	for _, d := range ds {
		require.Equal(t, "too-large", d.Code, show(s, ds))
	}
}

// Folders outside of the fabric's folder are opened by name.
func TestModuleOutside(t *testing.T) {
	fsys := files(map[string]string{"fabric.hcl": `
fabric "f" {}
module "m" { source = "../m" }`})
	other := files(map[string]string{"m.hcl": `switch "x" { model = "sn2700" }`})
	var asked []string
	s, ds := Load(fsys, ".", Options{Folder: func(name string) (fs.FS, error) {
		asked = append(asked, name)
		return below{name, other}, nil
	}})
	require.Empty(t, show(s, ds))
	require.Equal(t, []string{"../m"}, asked)
	require.Equal(t, "../m/m.hcl", s.Switches[0].Decl.Filename)
}

// below is a file system whose files are below a further folder.
type below struct {
	name string
	fs.FS
}

func (b below) Open(name string) (fs.File, error) {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, b.name), "/")
	if rest == "" {
		rest = "."
	}
	return b.FS.Open(rest)
}

// A misspelt attribute in a literal object is a mistake. A computed object may have more attributes than the type.
func TestSurplusAttributes(t *testing.T) {
	const module = `variable "pod" { type = object({ hosts = optional(number, 4), net = string }) }
output "hosts" { value = var.pod.hosts }`
	s, ds := Load(files(map[string]string{"f/m/m.hcl": module, "f/fabric.hcl": `fabric "f" {}
module "m" {
  source = "./m"
  pod    = { host = 5, net = "x" }
}`}), "f", Options{})
	require.Len(t, ds, 1, show(s, ds))
	assert.Equal(t, "bad-variable", ds[0].Code)
	assert.Equal(t, "host", place(s, ds[0].At))
	assert.Contains(t, ds[0].Detail, `Did you mean "hosts"?`)

	_, ds = Load(files(map[string]string{"f/m/m.hcl": module, "f/fabric.hcl": `fabric "f" {}
locals { pod = { hosts = 5, net = "x", other = 1 } }
module "m" {
  source = "./m"
  pod    = local.pod
}`}), "f", Options{})
	require.Empty(t, ds)
}
