package nvue_test

import (
	"io/fs"
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue"
)

// rack is a fabric of four storage hosts on one switch, with RoCEv2 by DSCP and cables of two lengths.
const rack = `
fabric "rack" {
  routing = "up-down"
  mtu     = 9216
}

cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  weight   = 50
  ecn {
    min         = 150000
    max         = 1500000
    probability = 100
  }
}

cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}

roce "nvme" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store]
}

switch "tor" {
  names   = "tor1"
  model   = "sn4700"
  version = "5.9.0"
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" {
    model = "connectx-6"
  }
}

link "near" {
  a      = "store[1-2]:ens1f0"
  b      = "tor1:swp1-2"
  speed  = "100G"
  length = "3m"
}

link "far" {
  a      = "store[3-4]:ens1f0"
  b      = "tor1:swp10-11"
  speed  = "100G"
  length = "32m"
}
`

func device(t testing.TB, text, name string) *ir.Device {
	t.Helper()
	return find(t, compilertest.Compile(t, text), name)
}

func find(t testing.TB, f *ir.Fabric, name string) *ir.Device {
	t.Helper()
	for _, d := range f.Devices {
		if d.Name == name {
			return d
		}
	}
	require.Failf(t, "no device", "%s", name)
	return nil
}

func wish(t testing.TB, d *ir.Device, p nvue.Preset) *nvue.Wish {
	t.Helper()
	w, ds := nvue.For(d, p)
	require.Empty(t, ds.HasErrors())
	require.NotNil(t, w)
	return w
}

func edit(t testing.TB, w *nvue.Wish, old string) string {
	t.Helper()
	out, ds := w.Edit([]byte(old))
	for _, d := range ds {
		t.Errorf("%s: %s", d.Code, d.Detail)
	}
	return string(out)
}

var version = regexp.MustCompile(`(version +=) "[0-9.]+"`)

// examples returns the fabrics of the examples, with every switch at a release of NVUE.
func examples(t testing.TB, release string) map[string]*ir.Fabric {
	t.Helper()
	out := map[string]*ir.Fabric{}
	for _, name := range []string{
		"bonded-pair", "clos-v2-ecn", "pods-ebgp", "prepared-rack", "rack-v1-pfc", "storage-and-training", "pause-at-hosts",
	} {
		fsys := fstest.MapFS{}
		root := os.DirFS("../../examples")
		require.NoError(t, fs.WalkDir(root, name, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(root, path)
			fsys[path] = &fstest.MapFile{Data: version.ReplaceAll(data, []byte(`$1 "`+release+`"`))}
			return err
		}))
		out[name] = compilertest.Folder(t, fsys, name)
	}
	return out
}
