package nicoperator_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/nic/nicoperator"
)

// pod is a leaf with hosts; the verbs are the blocks of the hosts, the cos of the intent, and further blocks.
const pod = `
fabric "pod" { mtu = 9216 }
switch "leaf" {
  names   = "leaf1"
  model   = "sn5600"
  version = "5.11.0"
}
cos_group "rdma" {
  cos      = %[2]s
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 40
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [%[3]s]
}
%[1]s
`

// host returns a host block with its cables.
func host(block, names string, port int, nics ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "host %q {\n  names = %q\n%s\n}\n", block, names, strings.Join(nics, "\n"))
	for i := range nics {
		name := strings.Split(nics[i], `"`)[1]
		length := 5
		if strings.Contains(nics[i], "# far") {
			length = 30
		}
		n := 1
		if m := regexp.MustCompile(`\[(\d+)-(\d+)\]`).FindStringSubmatch(names); m != nil {
			fmt.Sscan(m[2], &n)
		}
		fmt.Fprintf(&b, "link %q {\n  a = \"%s:%s\"\n  b = \"leaf1:swp[%d-%d]\"\n  speed = \"100G\"\n  length = \"%dm\"\n}\n",
			block+name, names, name, port+n*i, port+n*i+n-1, length)
	}
	return b.String()
}

const (
	cx6  = "  nic \"ens1\" { model = \"connectx-6-dx\" }"
	cx6b = "  nic \"ens2\" { model = \"connectx-6-dx\" }"
	far  = "  nic \"ens2\" { model = \"connectx-6-dx\" } # far"
	cx5  = "  nic \"ens3\" { model = \"connectx-5\" }"
)

// with returns a nic block with further attributes.
func with(nic, attributes string) string {
	return strings.NewReplacer("{ ", "{\n ", " }", "\n "+attributes+"\n}").Replace(nic)
}

// hostsOf returns the hosts of a fabric.
func hostsOf(f *ir.Fabric) (out []*ir.Device) {
	for _, d := range targets.Files(f).Devices {
		if d.Source.Host != nil {
			out = append(out, d.Source)
		}
	}
	return out
}

// rows returns the rows that objects of a text state, without wrong rows.
func rows(t testing.TB, text []byte) (all []string) {
	t.Helper()
	for _, o := range nicoperator.Objects(string(text)) {
		assert.Equal(t, nicoperator.KindTemplate, o.Kind)
		assert.Empty(t, o.Wrong, "%s", text)
		for _, v := range o.Values {
			all = append(all, v.Row)
		}
	}
	return all
}

// Equal hosts share a file. The reader understands every value that was written, and two builds are equal.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name, hosts, cos, members, label string
		files                            []string // hosts and the names of their templates
		has                              []string // lines of the first file
		refused                          string
		wrong                            string
	}{
		{
			name: "one group", hosts: host("gpu", "gpu[1-4]", 1, cx6), cos: "3", members: "host.gpu",
			files: []string{"gpu1,gpu2,gpu3,gpu4 gpu-101d"},
			has: []string{
				`    nicType: "101d"`, "    numVfs: 4", `        trust: "dscp"`, `        pfc: "0,0,0,1,0,0,0,0"`, "        tos: 104",
				"        cableLen: 5",
				"          priority: 3", "          enabled: false", "      roceMode: 2", `      - name: "CNP_DSCP_P2"`, `        value: "48"`,
				"# Hosts: gpu[1-4].", "#   ets_bw: 40,0,0,60,0,0,0,0", "#   dcbx: host", "#   dscp_prio3: 26",
			},
		},
		{
			name: "a label", hosts: host("1gpu", "gpu[1-2]", 1, cx6), cos: "3", members: `host["1gpu"]`, label: "example.com/roce",
			files: []string{"gpu1,gpu2 1gpu-101d"}, has: []string{`    "example.com/roce": "1gpu"`},
		},
		{
			name: "two cables", hosts: host("gpu", "gpu[1-2]", 1, cx6, far), cos: "3", members: "host.gpu", files: []string{"gpu1,gpu2 gpu-101d"},
			has: []string{"        cableLen: 30", "# The cables of the NVIDIA ConnectX-6 Dx NICs differ, and the template has the longest one."},
		},
		{
			name: "two models", hosts: host("gpu", "gpu[1-2]", 1, cx6, cx5), cos: "3", members: "host.gpu",
			files: []string{"gpu1,gpu2 gpu-101d,gpu-1017,gpu-1019"},
		},
		{
			name: "another priority", hosts: host("gpu", "gpu[1-2]", 1, cx6), cos: "4", members: "host.gpu",
			refused: "gpu1,gpu2: ens1: DSCP 26 (rdma) needs priority 4, the NIC gives it priority 3 from the factory, and a template has no map",
		},
		{
			name: "one of two NICs", hosts: host("gpu", "gpu[1-2]", 1, cx6, cx6b), cos: "3", members: `"gpu[1-2]:ens1"`,
			files: []string{"gpu1,gpu2 gpu-101d"}, has: []string{"# ens2 carries no intent, and the template sets it, too."},
		},
		{
			name: "RoCE off", cos: "3", members: `"gpu[1-2]:ens1"`,
			hosts:   host("gpu", "gpu[1-2]", 1, cx6, with(cx6b, "roce = false")),
			refused: "gpu1,gpu2: ens2: RoCE is off, and a template cannot turn it off",
		},
		{
			name: "a TOS of one", cos: "3", members: "host.gpu", hosts: host("gpu", "gpu[1-2]", 1, cx6, with(cx6b, "tos = 96")),
			refused: "gpu1,gpu2: ens1 and ens2 are of one model and need different settings",
		},
		{
			name: "two cables of two groups", cos: "3", members: "host.a, host.b",
			hosts: host("a", "a1", 1, cx6) + host("b", "b1", 9, strings.Replace(far, "ens2", "ens1", 1)),
			wrong: "2 groups of hosts need different templates for the NVIDIA ConnectX-6 Dx.",
		},
		{
			name: "the same with a label", cos: "3", members: "host.a, host.b", label: "roce",
			hosts: host("a", "a1", 1, cx6) + host("b", "b1", 9, strings.Replace(far, "ens2", "ens1", 1)), files: []string{"a1 a-101d", "b1 b-101d"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := compilertest.Compile(t, fmt.Sprintf(pod, c.hosts, c.cos, c.members))
			o := nicoperator.Supplied{NodeLabel: c.label, VFs: 4}
			files, refused, wrong := nicoperator.Write(hostsOf(f), o)
			again, _, _ := nicoperator.Write(hostsOf(f), o)
			assert.Equal(t, files, again)
			if c.wrong == "" {
				assert.Empty(t, wrong)
			}
			assert.Contains(t, wrong, c.wrong)
			var got, not []string
			for _, one := range files {
				var names []string
				for _, o := range nicoperator.Objects(string(one.Text)) {
					names = append(names, o.Name)
				}
				got = append(got, strings.Join(one.Hosts, ",")+" "+strings.Join(names, ","))
				rows(t, one.Text)
			}
			for _, r := range refused {
				not = append(not, strings.Join(r.Hosts, ",")+": "+r.Why)
			}
			assert.Equal(t, c.files, got)
			assert.Contains(t, strings.Join(not, "\n"), c.refused)
			assert.Equal(t, c.refused == "", not == nil, not)
			for _, line := range c.has {
				require.NotEmpty(t, files)
				assert.Contains(t, strings.Split(string(files[0].Text), "\n"), line)
			}
		})
	}
}

// Every value of a host's value file is in the template or in its comments.
func TestNothingIsLost(t *testing.T) {
	hosts := host("gpu", "gpu[1-2]", 1, with(cx6, "vf_roce = { 3 = false }\n ttl = 64\n mtu = 9000\n "+
		"dcqcn = { rpg_ai_rate = 20 }\n stall_prevention = \"auto\"\n nvram = { CNP_DSCP = 48, CNP_802P_PRIO = 6, LLDP_NB_DCBX = false, "+
		"ROCE_CONTROL = \"ROCE_ENABLE\" }"))
	f := compilertest.Compile(t, fmt.Sprintf(pod, hosts, "3", "host.gpu"))
	files, _, _ := nicoperator.Write(hostsOf(f), nicoperator.Supplied{})
	require.Len(t, files, 1)
	said := []string{
		"trust", "pfc", "pause", "roce_mode", "tos", "cable", "cnp_dscp", "cnp_prio", "ecn_np_prio3", "ecn_rp_prio3",
		"nvram_CNP_802P_PRIO", "nvram_CNP_DSCP", "nvram_LLDP_NB_DCBX", "nvram_ROCE_CONTROL",
	}
	text := string(files[0].Text)
	var raw []string
	for _, m := range regexp.MustCompile(`- name: "(\w+)"\n +value: "(\d+)"`).FindAllStringSubmatch(text, -1) {
		raw = append(raw, m[1]+"="+m[2])
	}
	assert.Equal(t, []string{
		"CNP_DSCP_P1=48", "CNP_802P_PRIO_P1=6", "LLDP_NB_DCBX_P1=0", "ROCE_CONTROL=2",
		"CNP_DSCP_P2=48", "CNP_802P_PRIO_P2=6", "LLDP_NB_DCBX_P2=0",
	}, raw)
	n := 0
	for _, file := range targets.FilesOf(hostsOf(f)[0]) {
		if !strings.HasPrefix(file.Path, "/etc/rocec/host/") {
			continue
		}
		content, ds := file.Edit(nil)
		require.Empty(t, ds)
		for line := range strings.Lines(string(content)) {
			key, value, is := strings.Cut(strings.TrimSpace(line), "=")
			if !is || strings.HasPrefix(key, "#") || key == "should" || slices.Contains(said, key) {
				continue
			}
			n++
			if vf, is := strings.CutPrefix(key, "vf_roce_"); is {
				key, value = "vf_roce", vf+":"+value
			}
			assert.Contains(t, text, "#   "+key+": "+value+"\n")
			assert.Contains(t, files[0].Note, strings.TrimRight(key, "01234567"))
		}
	}
	assert.Greater(t, n, 10)
}

// The names of templates are names of Kubernetes, and differ, whatever the names of blocks are. A label that is no key is refused.
func TestNames(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got := nicoperator.DNSName(text)
		if len(got) > 58 || !name.MatchString(got) {
			t.Fatalf("%q", got)
		}
	})
	assert.NotEqual(t, nicoperator.DNSName(strings.Repeat("a", 99)), nicoperator.DNSName(strings.Repeat("a", 98)+"b"))
	for key, is := range map[string]bool{
		"roce": true, "example.com/roce": true, "kubernetes.io/hostname": true, "1a.b_C": true, "": false, "a: b": false, "a\nb": false,
		"a/b/c": false, "Example.com/x": false, "-a": false, "a#b": false, "x/" + strings.Repeat("a", 64): false, `a"b`: false, "a/": false,
	} {
		assert.Equal(t, is, nicoperator.IsLabel(key), "%q", key)
	}
}
