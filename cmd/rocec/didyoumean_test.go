package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const nearlyRight = `fabric "f" {
  routing      = "up-down"
  cable_length = "3m"
}
variable "tier" { default = 1 }
locals { one = var.tier }
cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
}
roce "x" {
  version   = 2
  cos_group = cos_group.rdma
  members   = ["gpu1:ens1f0", "gpu2"]
}
switch "leaf" {
  names   = "leaf01"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "3.7.16"
  tier    = local.one
}
switch "lab" { model = "lab4" }
switch_model "lab4" {
  asic  = "spectrum"
  ports = 4
  speed = "100G"
}
nic_model "mine" {
  family = "mlx5"
  speed  = "25G"
}
host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
  nic "ens1f1" { model = "connectx-5" }
  bond "bond0" { nics = ["ens1f0", "ens1f1"] }
}
link "hosts" {
  a = "gpu1:ens1f0,ens1f1"
  b = "leaf01:swp1,swp2"
}
module "pod" {
  source = "./pod"
  names  = upper("a")
}
locals { pod = module.pod.size }
`

const nearlyRightPod = `variable "names" {}
output "size" { value = 3 }
`

// The proposal of a message is correct: its fix restores the right text.
func TestDidYouMeanIsAFix(t *testing.T) {
	for _, tc := range []struct{ right, wrong string }{
		// lang
		{"routing      =", "roting       ="},
		{"lossless = true", "losless  = true"},
		{"switch \"leaf\"", "swich \"leaf\""},
		{"nic \"ens1f0\" {", "nix \"ens1f0\" {"},
		{"= cos_group.rdma", "= cos_group.rmda"},
		{"= cos_group.rdma", "= cos_group[\"rmda\"]"},
		{"= cos_group.rdma", "= cosgroup.rdma"},
		{"= cos_group.rdma", "= rdma"},
		{"= local.one", "= local.ones"},
		{"= local.one", "= one"},
		{"= var.tier", "= var.teir"},
		{"= var.tier", "= tier"},
		{"upper(\"a\")", "uper(\"a\")"},
		{"\"up-down\"", "\"updown\""},
		{"names  = upper", "name   = upper"},
		{"module.pod.size", "module.pod.sise"},
		{"module.pod.size", "module.pood.size"},
		// compiler
		{"model   = \"sn2700\"", "model   = \"sn27000\""},
		{"model = \"connectx-5\" }\n  nic", "model = \"conectx-5\" }\n  nic"},
		{"\"cumulus-linux\"", "\"cumulus-linus\""},
		{"\"spectrum\"", "\"spektrum\""},
		{"\"mlx5\"", "\"mxl5\""},
		{"\"gpu2\"]", "\"gpu22\"]"},
		{"[\"gpu1:ens1f0\"", "[\"gpu1:ens1f\""},
		{"[\"gpu1:ens1f0\"", "[\"gpx1:ens1f0\""},
		{"nics = [\"ens1f0\"", "nics = [\"ens1f\""},
		{"b = \"leaf01:swp1", "b = \"laef01:swp1"},
		{"a = \"gpu1:ens1f0,", "a = \"gpu1:ens1f7,"},
	} {
		t.Run(tc.wrong, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(nearlyRight, tc.right))
			text := strings.Replace(nearlyRight, tc.right, tc.wrong, 1)
			dir := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "pod"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "pod", "pod.hcl"), []byte(nearlyRightPod), 0o644))
			name := filepath.Join(dir, "fabric.hcl")
			require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
			f, err := testApp().Load(dir)
			require.NoError(t, err)
			for _, d := range f.Diags {
				if d.Fix == nil || !d.Fix.Told {
					continue
				}
				require.Len(t, d.Fix.Edits, 1)
				e := d.Fix.Edits[0]
				require.Equal(t, name, e.At.Filename)
				fixed := text[:e.At.Start.Byte] + e.New + text[e.At.End.Byte:]
				again := strings.NewReplacer(" ", "", "[\"", ".", "\"]", "").Replace // blanks and the two forms of an index do not matter
				if again(fixed) == again(nearlyRight) {
					require.Equal(t, e.At.Start.Byte-strings.LastIndexByte(text[:e.At.Start.Byte], '\n'), e.At.Start.Column)
					return
				}
			}
			t.Errorf("no fix: %v", wanted(f, dir))
		})
	}
}
