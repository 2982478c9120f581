package ice

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/hosttest"
	"github.com/rocec/rocec/targets/target"
)

// group contains settings with the same mechanism on the host, so that a fault of the mechanism affects all of them.
type group struct {
	name, keys string                   // settings of the value file
	pcp        bool                     // of the host whose intent is identified by PCP
	start      func(h *host)            // before the fault
	befall     map[string]func(h *host) // by outcome; missing: there is no such case
}

func env(text string) func(h *host) { return func(h *host) { h.Env = append(h.Env, text) } }

// gone replaces a command by one that a shell does not find.
func gone(name string) func(h *host) {
	return func(h *host) { h.Command(name, "echo 'sh: "+name+": not found' >&2; exit 127") }
}

// wrap adds cases of a shell script, by patterns of the arguments, to a command.
func wrap(name, cases string) func(h *host) {
	return func(h *host) {
		old := h.Path("usr/sbin/" + name)
		if h.Has("usr/sbin/" + name) {
			require.NoError(h.T, os.Rename(old, old+".old"))
			old += ".old"
		} else {
			old = machinetest.Need(h.T, name)
		}
		h.Command(name, "case $* in\n"+cases+"\nesac\nexec "+old+` "$@"`)
	}
}

const denied = " echo 'Operation not permitted' >&2; exit 1 ;;"

// fakeOnce removes a state file of a fake tool when it is read for the third time.
func fakeOnce(file string) string {
	return `[ ! -e "$FAKE_DIR/log" ] || { echo . >>"$FAKE_DIR/seen"; [ "$(wc -l <"$FAKE_DIR/seen")" -ne 3 ] || ` + file + `; }`
}

// dcb returns the faults of an item of dcb.
func dcb(item, reads string) map[string]func(h *host) {
	fault := func(what string) func(h *host) { return env("DCBSHIM_FAULT=" + item + "=" + what) }
	return map[string]func(h *host){
		"settable": nil, "no tool": gone("dcb"), "no knob": fault("absent"), "refused": fault("refuse"),
		"ignored": fault("ignore"), "unreadable": wrap("dcb", reads+")"+denied), "reverts": fault("revert"),
	}
}

// kept adds the fault of a card that refuses what the kernel's table keeps.
func kept(faults map[string]func(h *host)) map[string]func(h *host) {
	faults["kept in the table"] = env("DCBSHIM_FAULT=app=keep")
	return faults
}

// devlink returns the fault of the parameters of devlink.
func devlink(fault string) func(h *host) {
	return func(h *host) {
		h.Real("devlink", `DEVLINKSHIM_DRIVER=ice DEVLINKSHIM_FAULT=`+fault+` DEVLINKSHIM_DIR="$FAKE_DIR" `)
	}
}

// matrix lists every setting that the script sets, with its possible outcomes.
var matrix = []group{
	{name: "agent", keys: "lldp_agent", befall: map[string]func(h *host){
		"settable": nil, "no tool": gone("ethtool"),
		"no knob": wrap("ethtool", "--show-priv*) echo 'No private flags defined' >&2; exit 76 ;;"),
		"refused": wrap("ethtool", "--set-priv*)"+denied), "ignored": wrap("ethtool", "--set-priv*) exit 0 ;;"),
		"unreadable": wrap("ethtool", "--show-priv*)"+denied),
		"reverts":    wrap("ethtool", "--show-priv*) "+fakeOnce(`: >"$FAKE_DIR/ens1.lldp"`)+" ;;"),
	}},
	{
		name: "dcbx", keys: "dcbx",
		start: func(h *host) {
			h.Remove("fake/ens1.lldp")
			h.Sh("export " + strings.Join(h.Env, " ") + "; " + machinetest.Need(h.T, "dcb") + " dcbx set dev ens1 host cee")
		},
		befall: map[string]func(h *host){
			"settable": nil, "no tool": gone("dcb"), "refused": env("DCBSHIM_FAULT=dcbx=refuse"),
			"ignored":    env("DCBSHIM_FAULT=dcbx=ignore"),
			"unreadable": wrap("dcb", "'dcbx show '*)"+denied), "reverts": env("DCBSHIM_FAULT=dcbx=revert"),
		},
	},
	{
		name: "map", keys: "dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7 trust",
		befall: kept(dcb("app", "'-N app show '*")),
	},
	{name: "classes", keys: "ets_bw ets_tc ets_tsa", pcp: true, befall: dcb("ets", "'ets show '*")},
	{name: "PFC", keys: "pfc", befall: dcb("pfc", "'pfc show '*")},
	{name: "pause", keys: "pause", befall: map[string]func(h *host){
		"settable": nil, "no tool": gone("ethtool"), "no knob": wrap("ethtool", "-a*) echo 'Operation not supported' >&2; exit 1 ;;"),
		"refused": wrap("ethtool", "-A*)"+denied), "ignored": wrap("ethtool", "-A*) exit 0 ;;"),
		"unreadable": wrap("ethtool", "-a*)"+denied),
	}},
	{name: "roce", keys: "roce", befall: map[string]func(h *host){
		"settable": nil, "no tool": gone("devlink"), "no knob": devlink("noparam"), "refused": devlink("noperm"),
		"ignored":    devlink("ignore"),
		"unreadable": wrap("devlink", "'dev param show '*)"+denied),
		"reverts":    wrap("devlink", "'dev param show '*enable_roce) "+fakeOnce(`echo 0 >"$FAKE_DIR/devlink-0000:03:00.0"`)+" ;;"),
	}},
	{name: "DCQCN", keys: "dcqcn", befall: map[string]func(h *host){
		"settable": nil, "no knob": func(h *host) { h.Remove("sys/kernel/config/irdma") },
		"refused": env("KNOBS=/roce_dcqcn_enable=refuse"), "ignored": env("KNOBS=/roce_dcqcn_enable=ignore"),
		"unreadable": env("KNOBS=/roce_dcqcn_enable=shut"),
		"reverts":    wrap("mkdir", "*/irdma/*) "+fakeOnce(`echo 0 >"$FAKE_DIR/irdma/roce_dcqcn_enable"`)+" ;;"),
	}},
	{
		name: "RDMA-CM", keys: "roce_mode tos", start: func(h *host) { h.Write("fake/cma-rocep3s0f0", "IB/RoCE v1\n0") },
		befall: map[string]func(h *host){
			"settable": nil, "no tool": func(h *host) { h.Remove("sys/kernel/config/rdma_cm"); gone("modprobe")(h) },
			"no knob": wrap("mkdir", `*/rdma_cm/*) exit 1 ;;`),
			"refused": env("KNOBS=/default_roce_=refuse"), "ignored": env("KNOBS=/default_roce_=ignore"),
			"unreadable": env("KNOBS=/default_roce_=shut"),
		},
	},
	{name: "VLAN", keys: "vlan_map", pcp: true, befall: map[string]func(h *host){
		"settable": nil, "no tool": gone("ip"), "no knob": func(h *host) { h.Remove("sys/class/net/ens1.100") },
		"refused": wrap("ip", "'link set '*)"+denied), "ignored": wrap("ip", "'link set '*) exit 0 ;;"),
		"unreadable": wrap("ip", "'-d link show '*)"+denied),
	}},
	{name: "host", keys: "mtu", befall: map[string]func(h *host){
		"refused": func(h *host) { h.Write("sys/class/net/ens1/mtu", "1500") },
	}},
}

// TestMatrix combines every setting with every outcome, in each shell in turn. No verb reports success for a setting without effect, except
// an optional setting that the host lacks. The verdict of plan on a lack is that of the class.
func TestMatrix(t *testing.T) {
	nth := 0
	named := map[string]bool{"create_vlan": true, "vlan": true, "vlan_ip": true} // the shared part of the script, tested with mlx5
	for _, g := range matrix {
		for key := range strings.FieldsSeq(g.keys) {
			named[key] = true
		}
		for outcome, befall := range g.befall {
			for shell := range hosttest.Rotate(nth, false, "interp") { // the preloaded libraries need a process
				t.Run(g.name+"/"+outcome, func(t *testing.T) {
					t.Parallel()
					g.run(t, shell, outcome, befall)
				})
			}
			nth++
		}
	}
	for _, r := range Rows() {
		assert.True(t, named[r.Key] || r.Host, "%s is in no group", r.Key)
	}
}

func (g *group) run(t *testing.T, shell, outcome string, befall func(h *host)) {
	d := device(t, !g.pcp)
	h := newHost(t, d)
	h.shell = shell
	if g.start != nil {
		g.start(h)
	}
	values := value(t, d)
	before, code := h.run("show", "ens1", "vlan=100")
	require.Zero(t, code, before)
	if befall != nil {
		befall(h)
	}
	apply, code := h.run("apply", "ens1")
	check, checked := h.run("check", "ens1")
	shown, _ := h.run("show", "ens1", "vlan=100")
	var state target.File
	for _, f := range render(t, d) {
		if f.Path == "nic/ens1" {
			state = f
		}
	}
	_, ds := state.Edit([]byte(shown))
	for key := range strings.FieldsSeq(g.keys) {
		want, is := line(values, key), line(shown, key)
		if want == "" && key != "mtu" {
			t.Errorf("the value file has no %s", key)
		}
		lacks := strings.HasPrefix(is, "unsupported") || strings.HasPrefix(is, "unreadable")
		switch {
		case key == "pause" && is == want && code != 0: // PFC, which comes after, hides link pause; apply has said it
			assert.Contains(t, apply, ": pause is on, not off")
		case is == want && outcome != "reverts":
			assert.NotContains(t, apply, ": "+key+" ", "%s is as it should be", key)
			assert.NotContains(t, "\n"+check, "\n"+key+" ", "%s is as it should be", key)
		case lacks && key == "dcqcn":
			assert.NotContains(t, apply, ": "+key+" ", "%s only helps", key)
			assert.False(t, refused(ds, key), "plan refuses %s, which only helps", key)
		case outcome == "reverts" && is == line(before, key) && is == want:
		default:
			assert.NotZero(t, code, "apply is content with %s=%s", key, is)
			assert.True(t, checked != 0 || outcome == "reverts", "check is content with %s=%s", key, is)
			assert.True(t, strings.Contains(apply, ": "+key+" ") || strings.Contains(apply, "cannot read its priorities") ||
				strings.Contains(apply, "RDMA device") || outcome == "reverts", "%s=%s: %s", key, is, apply)
			if lacks {
				assert.True(t, refused(ds, key), "plan accepts %s=%s", key, is)
			}
		}
		assert.True(t, outcome != "settable" || is == want && code == 0, "%s=%s: %s", key, is, apply)
	}
}

// line returns the value of a key.
func line(text, key string) string {
	_, rest, _ := strings.Cut("\n"+text, "\n"+key+"=")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// refused reports whether plan refuses the host because of a setting.
func refused(ds diag.List, key string) bool {
	for _, d := range ds {
		if d.Severity == diag.Error && strings.HasPrefix(d.Detail, key+" of ") {
			return true
		}
	}
	return false
}
