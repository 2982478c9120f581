package sonic_test

import (
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/sonic/grammar"
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
  os      = "sonic"
  version = "202505"
}

host "store" {
  names = "store[1-4]"
  nic "ens1f0" {
    model = "connectx-6"
  }
}

link "near" {
  a      = "store[1-2]:ens1f0"
  b      = "tor1:Ethernet[0,8]"
  speed  = "100G"
  length = "3m"
}

link "far" {
  a      = "store[3-4]:ens1f0"
  b      = "tor1:Ethernet[72,80]"
  speed  = "100G"
  length = "32m"
}
`

func compile(t testing.TB, fsys fs.FS, dir string) *ir.Fabric {
	t.Helper()
	src, ds := lang.Load(fsys, dir, lang.Options{})
	for _, d := range ds {
		require.Failf(t, d.Code, "%s", d.Detail)
	}
	f, ds := compiler.Compile(src, targets.Known)
	for _, d := range ds {
		require.Failf(t, d.Code, "%s", d.Detail)
	}
	return f
}

func device(t testing.TB, text, name string) *ir.Device {
	t.Helper()
	return deviceOf(t, compile(t, fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}, "."), name)
}

func deviceOf(t testing.TB, f *ir.Fabric, name string) *ir.Device {
	t.Helper()
	for _, d := range f.Devices {
		if d.Name == name {
			return d
		}
	}
	require.Failf(t, "no device", "%s", name)
	return nil
}

func wish(t testing.TB, d *ir.Device) *sonic.Wish {
	t.Helper()
	w, ds := sonic.For(d)
	for _, one := range ds {
		require.Failf(t, one.Code, "%s", one.Detail)
	}
	require.NotNil(t, w)
	return w
}

func edit(t testing.TB, w *sonic.Wish, old string) string {
	t.Helper()
	out, ds := w.Edit([]byte(old))
	for _, d := range ds {
		t.Errorf("%s: %s", d.Code, d.Detail)
	}
	return string(out)
}

func read(t require.TestingT, text string) *grammar.Config {
	cfg, err := grammar.ReadRows([]byte(text))
	require.NoError(t, err)
	return cfg
}

// box describes a switch before rocec configures it.
type box struct {
	release string // of the image
	hwsku   string
	asic    string
	model   string // of buffers
	qos     bool   // it has the tables of a template
	speed   string
	ports   []string
	step    int      // the difference between the numbers in the names of two successive ports
	lookup  []string // lengths; nil: the state does not contain the file
	down    map[string]bool
	watched string // a port outside the fabric, which has a watchdog

	unwatched bool // it has no row of watchdogs
}

// state writes the state of a switch as text.
func (b box) state() string {
	c := grammar.New()
	c.Put(grammar.VersionTable, "localhost", "build_version", "SONiC."+b.release+".1-abc")
	c.Put(grammar.VersionTable, "localhost", "asic_type", b.asic)
	c.Put(grammar.VersionTable, "localhost", "asic_count", "1")
	c.Put("DEVICE_METADATA", "localhost", "hwsku", b.hwsku)
	c.Put("DEVICE_METADATA", "localhost", "buffer_model", b.model)
	c.Put("BUFFER_POOL", grammar.Pool, "type", "ingress")
	c.Put("BUFFER_POOL", grammar.Pool, "mode", "dynamic")
	c.Put("BUFFER_POOL", grammar.Pool, "size", "20000000")
	c.Put("BUFFER_PROFILE", "ingress_lossy_profile", "pool", grammar.Pool)
	c.Put("BUFFER_PROFILE", "ingress_lossy_profile", "size", "0")
	c.Put("BUFFER_PROFILE", "ingress_lossy_profile", "dynamic_th", "3")
	if b.lookup != nil {
		c.Put(grammar.LookupTable, "file", "", "")
		c.Tables[grammar.LookupTable].Rows["file"].Fields = map[string]grammar.Value{}
	}
	for _, metres := range b.lookup {
		key := b.speed + "|" + metres
		for field, text := range map[string]string{"size": "49152", "xon": "19456", "xoff": "29696", "threshold": "0"} {
			c.Put(grammar.LookupTable, key, field, text)
		}
	}
	for _, p := range b.ports {
		n, _ := strconv.Atoi(strings.TrimPrefix(p, "Ethernet"))
		c.Put("PORT", p, "lanes", strconv.Itoa(n))
		c.Put("PORT", p, "speed", b.speed)
		c.Put("PORT", p, "alias", "etp"+strconv.Itoa(n/b.step+1))
		c.Put("PORT", p, "admin_status", map[bool]string{true: "down", false: "up"}[b.down[p]])
		c.Put("BUFFER_PG", p+"|0", "profile", "ingress_lossy_profile")
	}
	if b.qos {
		template(c, b)
	}
	return string(c.Rows())
}

// template adds tables such as SONiC's templates make: classes 3 and 4 are lossless, and DSCP 26 is in class 1.
func template(c *grammar.Config, b box) {
	for v := range 64 {
		tc := "1"
		switch v {
		case 3, 4:
			tc = strconv.Itoa(v)
		case 5:
			tc = "2"
		case 8:
			tc = "0"
		case 46:
			tc = "5"
		case 48:
			tc = "6"
		}
		c.Put("DSCP_TO_TC_MAP", "AZURE", strconv.Itoa(v), tc)
	}
	for n := range 8 {
		s := strconv.Itoa(n)
		c.Put("TC_TO_QUEUE_MAP", "AZURE", s, s)
		c.Put("MAP_PFC_PRIORITY_TO_QUEUE", "AZURE", s, s)
		c.Put("TC_TO_PRIORITY_GROUP_MAP", "AZURE", s, map[bool]string{true: s, false: "0"}[n == 3 || n == 4 || n == 7])
	}
	c.Put("SCHEDULER", "scheduler.0", "type", "DWRR")
	c.Put("SCHEDULER", "scheduler.0", "weight", "14")
	c.Put("SCHEDULER", "scheduler.1", "type", "DWRR")
	c.Put("SCHEDULER", "scheduler.1", "weight", "15")
	for field, text := range map[string]string{
		"wred_green_enable": "true", "wred_yellow_enable": "true", "ecn": "ecn_all", "green_min_threshold": "1048576",
		"green_max_threshold": "2097152", "green_drop_probability": "5", "yellow_min_threshold": "1048576", "yellow_max_threshold": "2097152",
	} {
		c.Put("WRED_PROFILE", "AZURE_LOSSLESS", field, text)
	}
	for _, p := range b.ports {
		for field, text := range map[string]string{
			"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE",
			"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4",
		} {
			c.Put("PORT_QOS_MAP", p, field, text)
		}
		c.Put("CABLE_LENGTH", "AZURE", p, "5m")
		for n := range 7 {
			key := p + "|" + strconv.Itoa(n)
			c.Put("QUEUE", key, "scheduler", map[bool]string{true: "scheduler.1", false: "scheduler.0"}[n == 3 || n == 4])
			if n == 3 || n == 4 {
				c.Put("QUEUE", key, "wred_profile", "AZURE_LOSSLESS")
			}
		}
		if b.model == "dynamic" {
			c.Put("BUFFER_PG", p+"|3-4", "profile", "NULL")
		} else if !b.down[p] {
			c.Put("BUFFER_PG", p+"|3-4", "profile", "pg_lossless_"+b.speed+"_5m_profile")
		}
	}
	if b.model != "dynamic" {
		for field, text := range map[string]string{"pool": grammar.Pool, "size": "49152", "xon": "19456", "xoff": "29696", "dynamic_th": "0"} {
			c.Put("BUFFER_PROFILE", "pg_lossless_"+b.speed+"_5m_profile", field, text)
		}
	}
	if !b.unwatched {
		c.Put("PFC_WD", "GLOBAL", "POLL_INTERVAL", "200")
	}
	if b.watched != "" {
		for field, text := range map[string]string{"action": "drop", "detection_time": "200", "restoration_time": "200"} {
			c.Put("PFC_WD", b.watched, field, text)
		}
	}
}

// usual is a switch that fits the rack.
func usual(release string) box {
	return box{
		release: release, hwsku: "ACS-MSN4700", asic: "mellanox", model: "traditional", qos: true, speed: "100000",
		ports: []string{"Ethernet0", "Ethernet8", "Ethernet16", "Ethernet72", "Ethernet80"}, step: 8,
		lookup: []string{"5m", "40m", "300m"}, watched: "Ethernet16",
	}
}

// on is the rack with its switch at a release.
func on(release string) string { return strings.Replace(rack, "202505", release, 1) }

var (
	system  = regexp.MustCompile(`(?m)^ +os +=.*\n`)
	version = regexp.MustCompile(`(?m)^( +version +=) (?:"[0-9.]+"|var\.tor_version)$`)
	ports   = regexp.MustCompile(`\bswp`)
)

// examples returns the fabrics of the examples. Every switch runs SONiC at the given release, and ports have the names of their aliases.
func examples(t testing.TB, release string) map[string]*ir.Fabric {
	t.Helper()
	out := map[string]*ir.Fabric{}
	for _, name := range []string{"bonded-pair", "clos-v2-ecn", "pods-ebgp", "prepared-rack", "storage-and-training"} {
		fsys := fstest.MapFS{}
		root := os.DirFS("../../examples")
		require.NoError(t, fs.WalkDir(root, name, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(root, path)
			data = ports.ReplaceAll(data, []byte("etp"))
			data = system.ReplaceAll(data, nil)
			data = version.ReplaceAll(data, []byte("  os = \"sonic\"\n$1 \""+release+"\""))
			fsys[path] = &fstest.MapFile{Data: data}
			return err
		}))
		out[name] = compile(t, fsys, name)
	}
	return out
}

// lineOf returns the number of the first line that contains a text, counted from 1.
func lineOf(text string, n int) string { return strings.Split(text, "\n")[n-1] }
