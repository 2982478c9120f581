package mlx5

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// outcomes lists what can happen to a setting on a host.
var outcomes = []string{"settable", "no tool", "no knob", "refused", "ignored", "unreadable", "reverts"}

// group contains settings with the same mechanism on the host, so that a fault of the mechanism affects all of them.
type group struct {
	name    string
	keys    []string // settings of the value file
	host    string   // of matrixHosts
	prepare func(m *machine)
	befall  map[string]func(m *machine) // by outcome
	never   map[string]string           // by outcome: why the cell does not exist
	shown   map[string]string           // by key: the key whose line in show reports it
	fine    map[string]string           // by outcome: why the setting still has an effect
}

// fate is the result of one setting in one cell.
type fate struct {
	want, was, is string // in the value file, in show before apply, in show after apply
	class         nic.Class
	apply, check  int
	said, differs string // reports of apply and check
	stops         string // the error of apply before it reads any setting
	judge         string // the verdict of plan on the state: clean, drift, notice or error
}

func (c *fate) String() string {
	return fmt.Sprintf("apply %d%s; check %d%s; show %s; plan %s", c.apply, c.said+c.stops, c.check, c.differs, c.is, c.judge)
}

// green returns the mistake of a cell, such as a setting without effect that no verb reports; empty without a mistake.
func (c *fate) green() string {
	missing := strings.HasPrefix(c.is, "unsupported") || strings.HasPrefix(c.is, "unreadable")
	switch {
	case c.is == c.want:
		if c.judge != "clean" || c.differs != "" {
			return "it is as it should be, and is reported"
		}
	case c.class == nic.Should && missing:
		if c.said != "" || c.judge == "error" || c.judge == "drift" {
			return "it only helps, and stops the host"
		}
	case c.apply == 0 || c.said+c.stops == "":
		return "apply is content without effect"
	case c.check == 0 || c.differs == "":
		return "check is content without effect"
	case c.judge == "clean" || c.judge == "notice":
		return "plan is content without effect"
	}
	return ""
}

func knobs(faults string) func(m *machine) {
	return func(m *machine) { m.Env = append(m.Env, "KNOBS="+faults) }
}

func dcbFault(item, fault string) func(m *machine) {
	return func(m *machine) { m.Env = append(m.Env, "DCBSHIM_FAULT="+item+"="+fault) }
}

// wrap adds cases of a shell script, by patterns of the arguments, to a command.
func (m *machine) wrap(name, cases string) {
	old := m.Path("usr/sbin/" + name)
	if _, err := os.Stat(old); err == nil {
		require.NoError(m.T, os.Rename(old, old+".old"))
		old += ".old"
	} else {
		old = machinetest.Need(m.T, name)
	}
	m.Command(name, "case $* in\n"+cases+"\nesac\nexec "+old+` "$@"`)
}

func wrapped(name, cases string) func(m *machine) {
	return func(m *machine) { m.wrap(name, cases) }
}

// gone replaces commands by scripts that fail as a shell does for a missing command.
func gone(names ...string) func(m *machine) {
	return func(m *machine) {
		for _, name := range names {
			m.Command(name, fmt.Sprintf("echo 'sh: %s: not found' >&2; exit 127", name))
		}
	}
}

// once removes a state file of a fake tool when it is read for the second time.
func once(file string) string {
	return fmt.Sprintf(`if [ -e "$FAKE_DIR/%[1]s.seen" ]; then rm -f "$FAKE_DIR/%[1]s" "$FAKE_DIR/%[1]s.seen"
elif [ -e "$FAKE_DIR/%[1]s" ]; then : >"$FAKE_DIR/%[1]s.seen"; fi`, file)
}

func dcbGroup(item string, readers string, keys ...string) group {
	return group{
		name: item, keys: keys, host: "eight", prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no tool": gone("dcb", "mlnx_qos"), "no knob": dcbFault(item, "absent"), "refused": dcbFault(item, "refuse"),
			"ignored": dcbFault(item, "ignore"), "reverts": dcbFault(item, "revert"),
			"unreadable": wrapped("dcb", readers+") echo 'Attribute read: Operation not permitted' >&2; exit 1 ;;"),
		},
	}
}

func numbered(name string) (out []string) {
	for p := range 8 {
		out = append(out, fmt.Sprint(name, p))
	}
	return out
}

const (
	neverSet  = "it is compared and never set"
	inPlace   = "the host's own network configuration has it"
	noTool    = "the kernel's files need no tool"
	notPermit = "echo 'RTNETLINK answers: Operation not permitted' >&2; exit 2 ;;"
	lateCMA   = `/bin/mkdir "$1" || exit; exec /bin/rm -r "$1" ;;`
)

// matrix lists every setting with its possible outcomes.
var matrix = []group{
	dcbGroup("dcbx", "'dcbx show '*", "dcbx"),
	dcbGroup("ets", "'ets show '*", "ets_bw", "ets_tc", "ets_tsa"),
	dcbGroup("app", "'-N app show '*", append(numbered("dscp_prio"), "trust")...),
	dcbGroup("delay", "'pfc show '*", "cable"),
	dcbGroup("pfc", "'pfc show '*", "pfc"),
	{
		name: "pause", keys: []string{"pause"}, host: "eight", prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no tool":    gone("ethtool"),
			"no knob":    wrapped("ethtool", "*) echo 'netlink error: Operation not supported' >&2; exit 1 ;;"),
			"refused":    wrapped("ethtool", "-A*) echo 'netlink error: Operation not permitted' >&2; exit 1 ;;"),
			"ignored":    wrapped("ethtool", "-A*) exit 0 ;;"),
			"unreadable": wrapped("ethtool", "-a*) echo 'netlink error: Operation not permitted' >&2; exit 1 ;;"),
			"reverts":    wrapped("ethtool", "-a*) "+once("pause-ens1f0")+" ;;"),
		},
	},
	{
		name: "roce", keys: []string{"roce"}, host: "eight", prepare: func(m *machine) {
			m.ofed().Write("sys/devices/0000:03:00.0/roce_enable", "0")
			at := m.Path("sys/devices/0000:03:00.0/infiniband")
			require.NoError(m.T, os.Rename(at, at+".off"))
		},
		befall: map[string]func(m *machine){
			"no tool": gone("devlink"),
			"no knob": func(m *machine) { m.Remove("sys/devices/0000:03:00.0/roce_enable") },
			"refused": knobs("/roce_enable=refuse"), "ignored": knobs("/roce_enable=ignore"),
			"unreadable": knobs("/roce_enable=shut"), "reverts": knobs("/roce_enable=revert"),
		},
		fine: map[string]string{"no tool": "the switch is on; roce_mode and tos report that the driver has not started anew"},
	},
	{
		name: "vf_roce", keys: []string{"vf_roce_0"}, host: "rules", prepare: func(m *machine) {
			m.ofed()
			for _, file := range m.Glob("sys/class/net/*/settings/vf_roce") {
				require.NoError(m.T, os.WriteFile(file, []byte("vf_num 0: 1\n"), 0o644))
			}
		},
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) {
				m.Remove("sys/devices/0000:03:00.0/net/ens1f0/settings")
				m.Remove("sys/class/net/ens1f0/settings")
			},
			"refused": knobs("/vf_roce=refuse"), "ignored": knobs("/vf_roce=ignore"), "unreadable": knobs("/vf_roce=shut"),
			"reverts": knobs("/vf_roce=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "ecn", keys: append(numbered("ecn_np_prio"), numbered("ecn_rp_prio")...), host: "eight",
		prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) {
				m.Remove("sys/class/net/ens1f0/ecn/roce_np/enable")
				m.Remove("sys/class/net/ens1f0/ecn/roce_rp/enable")
			},
			"refused": knobs("/enable/=refuse"), "ignored": knobs("/enable/=ignore"), "unreadable": knobs("/enable/=shut"),
			"reverts": knobs("/enable/=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "cnp", keys: []string{"cnp_dscp", "cnp_prio"}, host: "eight", prepare: func(m *machine) { m.inbox() },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) { m.Remove("sys/kernel/debug") },
			"refused": knobs("/np_cnp_=refuse"), "ignored": knobs("/np_cnp_=ignore"), "unreadable": knobs("/np_cnp_=shut"),
			"reverts": knobs("/np_cnp_=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "cma", keys: []string{"roce_mode", "tos"}, host: "v1", prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no tool": gone("modprobe"),
			"no knob": wrapped("mkdir", "*/rdma_cm/*) "+lateCMA),
			"refused": knobs("/default_roce_=refuse"), "ignored": knobs("/default_roce_=ignore"),
			"unreadable": knobs("/default_roce_=shut"), "reverts": wrapped("mkdir", "*/rdma_cm/*) "+once("cma-rocep3s0f0")+" ;;"),
		},
	},
	{
		name: "class", keys: []string{"traffic_class"}, host: "v2", prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) { m.Remove("sys/class/infiniband/rocep3s0f0/tc") },
			"refused": knobs("/traffic_class=refuse"), "ignored": knobs("/traffic_class=ignore"),
			"unreadable": knobs("/traffic_class=shut"), "reverts": knobs("/traffic_class=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "rules", keys: []string{"traffic_rules", "ttl"}, host: "rules", prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) {
				m.Remove("sys/class/infiniband/rocep3s0f0/tc")
				m.Remove("sys/class/infiniband/rocep3s0f0/ttl")
			},
			"refused": knobs("/traffic_class=refuse:/ttl=refuse"), "ignored": knobs("/traffic_class=ignore:/ttl=ignore"),
			"unreadable": knobs("/traffic_class=shut:/ttl=shut"), "reverts": knobs("/traffic_class=revert:/ttl=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "dcqcn", keys: dcqcnKeys(), host: "tuned",
		prepare: func(m *machine) { m.inbox().parameters("sys/kernel/debug/mlx5/0000:03:00.0/cc_params") },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) { m.Remove("sys/kernel/debug") },
			"refused": knobs("/cc_params/=refuse"), "ignored": knobs("/cc_params/=ignore"), "unreadable": knobs("/cc_params/=shut"),
			"reverts": knobs("/cc_params/=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "dcqcn of the vendor's driver", keys: dcqcnKeys(), host: "tuned",
		prepare: func(m *machine) { m.ofed().parameters("sys/class/net/ens1f0/ecn") },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) { m.Remove("sys/class/net/ens1f0/ecn") },
			"refused": knobs("/ecn/=refuse"), "ignored": knobs("/ecn/=ignore"), "unreadable": knobs("/ecn/=shut"), "reverts": knobs("/ecn/=revert"),
		},
		never: map[string]string{"no tool": noTool},
	},
	{
		name: "stall", keys: []string{"stall_prevention"}, host: "tuned",
		prepare: func(m *machine) { m.ofed().parameters("sys/class/net/ens1f0/ecn") },
		befall: map[string]func(m *machine){
			"no tool":    gone("ethtool"),
			"no knob":    wrapped("ethtool", "--get-tunable*) echo 'pfc-prevention-tout: Cannot get tunable' >&2; exit 255 ;;"),
			"refused":    wrapped("ethtool", "--set-tunable*) echo 'pfc-prevention-tout: Invalid argument' >&2; exit 255 ;;"),
			"ignored":    wrapped("ethtool", "--set-tunable*) exit 0 ;;"),
			"unreadable": wrapped("ethtool", "--get-tunable*) echo 'pfc-prevention-tout: Operation not permitted' >&2; exit 255 ;;"),
			"reverts":    wrapped("ethtool", "--get-tunable*) "+once("tunable-ens1f0")+" ;;"),
		},
	},
	{
		name: "vlan", keys: []string{"create_vlan", "vlan", "vlan_map"}, host: "vlan",
		prepare: func(m *machine) { m.ofed().Remove("sys/class/net/ens1f0.100") },
		befall: map[string]func(m *machine){
			"no tool":    gone("ip"),
			"no knob":    wrapped("ip", "'link add '*) echo 'RTNETLINK answers: Operation not supported' >&2; exit 2 ;;"),
			"refused":    wrapped("ip", "'link add '*|'link set '*) "+notPermit),
			"ignored":    wrapped("ip", "'link set '*'type vlan'*) exit 0 ;;"),
			"unreadable": wrapped("ip", "'-d link show '*) "+notPermit),
			"reverts":    wrapped("ip", "'-d link show '*) "+once("ens1f0.100")+" ;;"),
		},
		shown: map[string]string{"create_vlan": "vlan_map", "vlan": "vlan_map"},
	},
	{
		name: "address", keys: []string{"vlan_ip"}, host: "vlan",
		prepare: func(m *machine) { m.ofed().Write("sys/class/net/ens1f0.100/ifindex", "9") },
		befall: map[string]func(m *machine){
			"no tool":    gone("ip"),
			"refused":    wrapped("ip", "'address replace '*) "+notPermit),
			"ignored":    wrapped("ip", "'address replace '*) exit 0 ;;"),
			"unreadable": wrapped("ip", "'-o address show '*) "+notPermit),
			"reverts":    wrapped("ip", "'-o address show '*) "+once("ens1f0.100.ip")+" ;;"),
		},
		never: map[string]string{"no knob": "every interface takes addresses"},
	},
	{
		name: "host", keys: []string{"bond", "mtu"}, host: "bond", prepare: func(m *machine) { m.ofed() },
		befall: map[string]func(m *machine){
			"no knob": func(m *machine) {
				m.Remove("sys/class/net/ens1f0/mtu")
				m.Remove("sys/class/net/ens1f0/master")
			},
			"unreadable": knobs("/ens1f0/mtu=shut"),
		},
		never: map[string]string{"settable": neverSet, "no tool": noTool, "refused": neverSet, "ignored": neverSet, "reverts": neverSet},
		fine:  map[string]string{"no knob": inPlace, "unreadable": inPlace + "; a link can always be read"},
	},
}

// matrixHosts returns hosts that together use every setting. No setting has its wanted value at the start.
func matrixHosts(t testing.TB) map[string]*ir.Device {
	hosts := fixtures(t)
	f := newFabric()
	var intents []*ir.Intent
	for p := range 8 {
		g := &ir.CosGroup{
			Name: fmt.Sprint("cos", p), At: place(p), Cos: p, CosAt: place(p), Weight: 10, ECN: &ir.ECN{At: place(p)},
			Lossless: p == 4, DSCP: []ir.Claim{{Value: (p*8 + 13) % 64, At: place(p)}},
		}
		f.CosGroups = append(f.CosGroups, g)
		intents = append(intents, &ir.Intent{Name: g.Name, Version: 2, Group: g, CNP: f.cnp})
	}
	n := f.nic(t, "ens1f0", intents...)
	n.TOS = 106
	hosts["eight"] = f.host("eight", n)

	f = newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	n = f.nic(t, "ens1f0", f.v2())
	n.TTL, n.VFRoCE = 32, map[int]bool{0: false}
	n.TrafficClasses = []ir.TrafficClass{{TOS: 16, Src: netip.MustParsePrefix("192.0.2.7/32"), Dst: netip.MustParsePrefix("198.51.100.9/24")}}
	hosts["rules"] = f.host("rules", n)

	f = newFabric()
	f.groups(f.rest, f.rdma, f.cnp)
	n = f.nic(t, "ens1f0", f.v2())
	n.Parameters = &ir.NICParameters{Stall: &ir.SetParameter{NICParameter: parameters().Stall, Value: 65535, At: place(1)}}
	for i, p := range parameters().DCQCN {
		if p.By == "" {
			n.Parameters.DCQCN = append(n.Parameters.DCQCN, ir.SetParameter{NICParameter: p, Value: max(p.Least, 1), At: place(2 + i)})
		}
	}
	hosts["tuned"] = f.host("tuned", n)

	f = newFabric()
	f.groups(f.rest, f.storage)
	n = f.nic(t, "ens1f0", f.v1())
	n.CreateVLAN, n.VLANIP = true, netip.MustParsePrefix("192.0.2.9/24")
	hosts["vlan"] = f.host("vlan", n)
	n = hosts["v1"].Host.NICs[0]
	n.TOS = 96
	return hosts
}

// dcqcnKeys returns the keys of the parameters of DCQCN.
func dcqcnKeys() (keys []string) {
	for _, p := range parameters().DCQCN {
		if p.By == "" {
			keys = append(keys, "dcqcn_"+p.Name)
		}
	}
	return keys
}

// parameters adds the parameters of DCQCN to a folder of debugfs or sysfs, all with the value 0.
func (m *machine) parameters(dir string) {
	for _, p := range parameters().DCQCN {
		name := inDebugfs(p.Name)
		if strings.HasSuffix(dir, "/ecn") {
			name = "roce_rp/" + p.Name
			if p.Name == "min_time_between_cnps" {
				name = "roce_np/" + p.Name
			}
		}
		if p.By == "" {
			m.Write(dir+"/"+name, "0")
		}
	}
}

// values parses lines KEY=VALUE.
func values(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok && !strings.HasPrefix(line, "#") {
			out[key] = value
		}
	}
	return out
}

// about returns the lines of a text that begin with a prefix, joined and without the prefix.
func about(text, prefix string) string {
	var out []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prefix); ok {
			out = append(out, rest)
		}
	}
	if out == nil {
		return ""
	}
	return " (" + strings.Join(out, "; ") + ")"
}

// fileOf matches the file of a parameter of DCQCN.
var fileOf = regexp.MustCompile(`(cc_params/)(?:rp_|np_min)[a-z_]+|(roce_[nr]p/)(?:clamp|dce|initial|min|rate|rpg)[a-z_]+`)

// run runs apply, check and plan on a host, and returns the fate of every setting of the group.
func (g *group) run(t testing.TB, outcome string, script []byte) map[string]*fate {
	d := matrixHosts(t)[g.host]
	m := newMachine(t, d)
	m.Script = script
	m.Env = append(m.Env, "ROCEC_WAIT=0")
	g.prepare(m)
	file := values(m.Read("etc/rocec/host/ens1f0.conf"))
	show := func() hosttest.Result {
		r := m.Exec("dash", showArgs(t, d, "ens1f0", "show"))
		require.Zero(t, r.Code, r.Err)
		return r
	}
	var before map[string]string
	if outcome == "settable" {
		before = values(show().Out)
	}
	if befall := g.befall[outcome]; befall != nil {
		befall(m)
	}
	apply, check, after := m.Exec("dash", []string{"apply", "ens1f0"}), m.Exec("dash", []string{"check", "ens1f0"}), show()
	now := values(after.Out)
	apply.Err = shellLine.ReplaceAllString(strings.ReplaceAll(apply.Err, m.Root, ""), "sh: ")
	state := stateOf(t, d, "ens1f0")
	edited, ds := state.Edit([]byte(after.Out))
	planned := values(string(edited))
	rows := slices.Clone(rows())
	cells := map[string]*fate{}
	for _, key := range g.keys {
		line := key
		if other := g.shown[key]; other != "" {
			line = other
		}
		c := &fate{want: file[line], was: before[line], is: now[line], apply: apply.Code, check: check.Code}
		require.NotEmpty(t, file[key], "the value file has no %s", key)
		c.said = about(apply.Err, "rocec-host: ens1f0: "+line+" ")
		for _, word := range []string{"neither", "no RDMA device"} {
			if text := about(apply.Err, "rocec-host: ens1f0: "+word); text != "" {
				c.stops = " (" + word + strings.TrimPrefix(text, " (")
			}
		}
		if c.differs = about(check.Out, line+" "); c.differs == fmt.Sprintf(" (is %s, not %s)", c.is, c.want) {
			c.differs = " (it)"
		}
		if slices.Contains(strings.Split(file["should"], ","), key) {
			c.class = nic.Should
		}
		if i := slices.IndexFunc(rows, func(r nic.Row) bool { return r.Key == key }); i < 0 && !strings.HasPrefix(key, "vf_roce_") {
			t.Fatalf("%s is not a setting", key)
		}
		switch {
		case slices.ContainsFunc(ds, func(d *diag.Diagnostic) bool {
			return d.Severity == diag.Error && strings.HasPrefix(d.Detail, line+" of ")
		}):
			c.judge = "error"
		case planned[line] != c.is:
			c.judge = "drift"
		case c.is != c.want && len(ds) > 0:
			c.judge = "notice"
		default:
			c.judge = "clean"
		}
		cells[key] = c
	}
	return cells
}

// shellLine matches the beginning of an error message of dash.
var shellLine = regexp.MustCompile(`\S*dash: [0-9]+: `)

var digits = regexp.MustCompile(`(ecn_np_prio|ecn_rp_prio|enable/|dscp_prio|vf_roce_)[0-9]`)

// TestMatrix combines every setting with every outcome. No verb may report success for a setting without effect. The golden file contains
// the result of each cell. All cells run with -whole or -update (.ci/run uses -update), otherwise every second cell.
func TestMatrix(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/golden/matrix.txt")
	require.NoError(t, err)
	all, every := *whole || *update, 2
	if testing.Short() {
		every = 7
	}
	var named []string
	text := make([][]string, len(matrix))
	t.Run("cells", func(t *testing.T) {
		for i, g := range matrix {
			named = append(named, g.keys...)
			text[i] = make([]string, len(outcomes))
			for j, outcome := range outcomes {
				if why := g.never[outcome]; why != "" {
					require.Nil(t, g.befall[outcome])
					text[i][j] = fmt.Sprintf("%s: no such cell: %s\n", outcome, why)
					continue
				}
				require.True(t, outcome == "settable" || g.befall[outcome] != nil, "%s has no %s", g.name, outcome)
				if !all && (i+j)%every != 0 {
					continue
				}
				t.Run(g.name+"/"+outcome, func(t *testing.T) {
					t.Parallel()
					fates := g.run(t, outcome, script())
					text[i][j] = g.spell(outcome, fates)
					assert.True(t, *update || strings.Contains(string(want), text[i][j]), "not in the golden file:\n%s", text[i][j])
					for _, key := range g.keys {
						c := fates[key]
						assert.Empty(t, c.green(), "%s: %s", key, c)
						if g.fine[outcome] == "" {
							assert.NotEqual(t, c.want, c.was, "%s is there from the start", key)
							assert.Equal(t, outcome == "settable", c.is == c.want, "%s: %s", key, c)
						}
					}
				})
			}
		}
	})
	var b strings.Builder
	for i, g := range matrix {
		fmt.Fprintf(&b, "== %s\n%s\n", fold(g.keys), strings.Join(text[i], ""))
	}
	if all {
		golden(t, "testdata/golden/matrix.txt", b.String())
	}
	for _, r := range rows() {
		if !strings.HasPrefix(r.Key, "nvram_") { // apply never sets it: TestStore
			assert.Contains(t, named, r.Key, "a setting without a row in the matrix")
		}
	}
}

// fold returns the keys as a text in which eight numbered keys are one word.
func fold(keys []string) string {
	text := strings.Join(keys, " ")
	text = strings.ReplaceAll(text, strings.Join(dcqcnKeys(), " "), "dcqcn_NAME")
	for _, name := range []string{"dscp_prio", "ecn_np_prio", "ecn_rp_prio"} {
		text = strings.ReplaceAll(text, strings.Join(numbered(name), " "), name+"[0-7]")
	}
	return text
}

// spell returns the lines of an outcome. Keys with equal results share a line.
func (g *group) spell(outcome string, fates map[string]*fate) string {
	var lines []string
	keys := map[string][]string{}
	for _, key := range g.keys {
		c := *fates[key]
		c.said = strings.ReplaceAll(strings.ReplaceAll(c.said, "is "+c.is, "is IT"), "not "+c.want, "not WANTED")
		if c.is == c.want {
			c.is = "WANTED"
		}
		line := fileOf.ReplaceAllString(digits.ReplaceAllString(c.String(), "${1}N"), "${1}${2}NAME")
		if keys[line] == nil {
			lines = append(lines, line)
		}
		keys[line] = append(keys[line], key)
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%s: %s: %s\n", outcome, fold(keys[line]), line)
	}
	return b.String()
}

// TestMatrixCanFail removes one safeguard of the script at a time. The matrix must detect each removal.
func TestMatrixCanFail(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/golden/matrix.txt")
	require.NoError(t, err)
	nth := 0
	const readBack, stillThere = `	"$2" again` + "\n\t! differs \"$1\" ||", `[ "$failed" -ne 0 ] || still_there`
	for _, c := range []struct {
		name           string
		swap           []string // pairs of old and new text of the script
		group, outcome string
		green          bool // the setting has no effect and is not reported; otherwise the report is worse
	}{
		{"no read-back", []string{readBack, "\ttrue ||"}, "pfc", "ignored", false},
		{"no read-back at all", []string{readBack, "\ttrue ||", stillThere, ":"}, "pfc", "ignored", true},
		{"a refusal is not a failure", []string{readBack, "\ttrue ||", stillThere, ":"}, "pause", "refused", true},
		{"no second look", []string{stillThere, ":"}, "app", "reverts", true},
		{"a failure is only said", []string{`say "$*"; failed=1; }`, `say "$*"; }`}, "rules", "no knob", true},
		{"all may be missing", []string{"spared() { #", "spared() { return 0\n#"}, "pfc", "no knob", true},
		{
			"unreadable is good",
			[]string{"spared() { #", "spared() { case $2 in unreadable*) return 0 ;; esac\n#"},
			"cnp", "unreadable", true,
		},
		{"nothing may be missing", []string{"look \"$conf\" should || return 1", "return 1"}, "ecn", "no knob", true},
		{"ways are not told", []string{"\ttell_ways\n", ""}, "ets", "no knob", false},
		{"check is content", []string{"\n\t\tdone\n\t\treturn 1", "\n\t\tdone\n\t\treturn 0"}, "cma", "refused", true},
		{"the MTU is not compared", []string{"\tcompare_host\n", "", stillThere, ":"}, "host", "no knob", true},
		{"the address is not read", []string{"\tsee_vlan_ip\n", ""}, "address", "ignored", false},
	} {
		if nth++; testing.Short() && nth%7 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			mutant := string(script())
			for i := 0; i < len(c.swap); i += 2 {
				require.Equal(t, 1, strings.Count(mutant, c.swap[i]), "the script has changed: %q", c.swap[i])
				mutant = strings.Replace(mutant, c.swap[i], c.swap[i+1], 1)
			}
			i := slices.IndexFunc(matrix, func(g group) bool { return g.name == c.group })
			g := &matrix[i]
			fates := g.run(t, c.outcome, []byte(mutant))
			assert.NotContains(t, string(want), g.spell(c.outcome, fates))
			if c.green {
				assert.True(t, slices.ContainsFunc(g.keys, func(key string) bool { return fates[key].green() != "" }), "%s", fates[g.keys[0]])
			}
		})
	}
}
