package bnxt

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
	name   string
	keys   string                   // settings of the value file
	values string                   // of the value file; empty: wanted
	befall map[string]func(h *host) // by outcome; missing: there is no such case
}

func env(text string) func(h *host) { return func(h *host) { h.Env = append(h.Env, text) } }

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

const (
	denied = " echo 'Operation not permitted' >&2; exit 1 ;;"
	tagged = "create_vlan=on\ndcbx=host\nets_bw=100,0,0,0,0,0,0,0\nets_tc=0,0,0,0,0,0,0,0\n" +
		"ets_tsa=ets,strict,strict,strict,strict,strict,strict,strict\npause=off\n" +
		"trust=pcp\nvlan=100\nvlan_ip=192.0.2.9/24\nvlan_map=0:3,2:3,4:3,6:3\n"
)

// tool returns the faults of an item of dcb.
func tool(item, reads string) map[string]func(h *host) {
	fault := func(what string) func(h *host) { return env("DCBSHIM_FAULT=" + item + "=" + what) }
	return map[string]func(h *host){
		"settable": nil, "no tool": func(h *host) { h.Command("dcb", "exit 127") }, "no knob": fault("absent"), "refused": fault("refuse"),
		"ignored": fault("ignore"), "unreadable": wrap("dcb", reads+")"+denied), "reverts": fault("revert"),
	}
}

// kept adds the fault of a card that refuses what the kernel's table keeps.
func kept(faults map[string]func(h *host)) map[string]func(h *host) {
	faults["kept in the table"] = env("DCBSHIM_FAULT=app=keep")
	return faults
}

// stated are lines of a value file with parameters that the fabric states.
const stated = "dcqcn_g=9\ndcqcn_inact_th=65535\ndcqcn_init_cr=0\ndcqcn_init_tr=4096\n"

// configfs are the faults of the files of Broadcom's driver.
var configfs = map[string]func(h *host){
	"settable": nil,
	"no tool": func(h *host) {
		h.Command("mkdir", `case $1 in */bnxt_re/*) exit 1 ;; esac; `+whole(hosttest.Replacement("mkdir")))
	},
	"no knob": func(h *host) { h.Remove("sys/kernel/config/bnxt_re") },
	"refused": env("KNOBS=/cc/=refuse"), "ignored": env("KNOBS=/cc/apply=ignore"), "unreadable": env("KNOBS=/cc/apply=shut"),
	"reverts": func(h *host) {
		wrap("mkdir", `*/bnxt_re/*)
	[ ! -e "$FAKE_DIR/cc" ] || { [ -e "$FAKE_DIR/seen" ] && rm -f "$FAKE_DIR/cc"; : >"$FAKE_DIR/seen"; }
	exec `+h.Path("usr/sbin/mkdir.old")+` "$@" ;;`)(h)
	},
}

// matrix lists every setting that the script sets, with its possible outcomes.
var matrix = []group{
	{name: "dcbx", keys: "dcbx", befall: map[string]func(h *host){ // the driver starts with the wanted mode
		"settable": nil, "no tool": func(h *host) { h.Command("dcb", "exit 127") }, "unreadable": wrap("dcb", "'dcbx show '*)"+denied),
		"refused": func(h *host) { h.Write("fake/"+nicName+".lldp", "") },
	}},
	{name: "ets", keys: "ets_bw ets_tc ets_tsa", befall: tool("ets", "'ets show '*")},
	{name: "pfc", keys: "pfc", befall: tool("pfc", "'pfc show '*")},
	{
		name: "map", keys: "dscp_prio0 dscp_prio1 dscp_prio2 dscp_prio3 dscp_prio4 dscp_prio5 dscp_prio6 dscp_prio7 trust roce_udp",
		befall: kept(tool("app", "'-N app show '*")),
	},
	{name: "pause", keys: "pause", befall: map[string]func(h *host){
		"settable": nil, "no tool": func(h *host) { h.Command("ethtool", "exit 127") },
		"no knob": wrap("ethtool", "*) echo 'netlink error: Operation not supported' >&2; exit 1 ;;"),
		"refused": wrap("ethtool", "-A*)"+denied), "ignored": wrap("ethtool", "-A*) exit 0 ;;"), "unreadable": wrap("ethtool", "-a*)"+denied),
	}},
	{
		name: "congestion control", keys: "cc_mode cnp_dscp cnp_prio ecn_enable ecn_marking prio_vlan roce_dscp roce_prio", befall: configfs,
	},
	{
		name: "parameters of DCQCN", keys: "dcqcn_g dcqcn_inact_th dcqcn_init_cr dcqcn_init_tr", values: wanted + stated, befall: configfs,
	},
	{
		name: "rdma_cm", keys: "roce_mode tos", values: strings.Replace(wanted, "roce_mode=RoCE v2", "roce_mode=IB/RoCE v1", 1),
		befall: map[string]func(h *host){
			"settable": nil,
			"no knob":  func(h *host) { h.Remove("sys/kernel/config/rdma_cm"); h.Command("modprobe", "exit 1") },
			"refused":  env("KNOBS=/default_roce_=refuse"), "ignored": env("KNOBS=/default_roce_=ignore"),
			"unreadable": env("KNOBS=/default_roce_=shut"),
		},
	},
	{name: "VLAN", keys: "vlan_map vlan_ip", values: tagged, befall: map[string]func(h *host){
		"settable": nil, "no tool": func(h *host) { h.Command("ip", "exit 127") },
		"no knob":    wrap("ip", "'link add '*) echo 'RTNETLINK answers: Operation not supported' >&2; exit 2 ;;"),
		"refused":    wrap("ip", "'link add '*|'link set '*)"+denied),
		"ignored":    wrap("ip", "'link set '*'type vlan'*|'address replace'*) exit 0 ;;"),
		"unreadable": wrap("ip", "'-d link show '*|'-o address show'*)"+denied),
	}},
	{name: "traffic class", keys: "traffic_class", befall: map[string]func(h *host){"no knob": func(*host) {}}},
	{name: "host", keys: "mtu", befall: map[string]func(h *host){
		"refused": func(h *host) { h.Write("sys/class/net/"+nicName+"/mtu", "1500") },
	}},
}

// whole returns a script without its first line.
func whole(script string) string {
	_, rest, _ := strings.Cut(script, "\n")
	return rest
}

// TestMatrix combines every setting with every outcome, in each shell in turn. No verb reports success for a setting without effect, except
// an optional setting that the host lacks. The verdict of plan on a lack is that of the class.
func TestMatrix(t *testing.T) {
	nth := 0
	named := map[string]bool{}
	state := stateFile(t)
	for _, g := range matrix {
		for key := range strings.FieldsSeq(g.keys) {
			named[key] = true
		}
		for outcome, befall := range g.befall {
			for shell := range hosttest.Rotate(nth, false, "interp") { // the preloaded libraries need a process
				t.Run(g.name+"/"+outcome, func(t *testing.T) {
					t.Parallel()
					g.run(t, state, shell, outcome, befall)
				})
			}
			nth++
		}
	}
	for _, r := range Rows() {
		if !r.Host {
			assert.True(t, named[r.Key], "%s is in no group", r.Key)
		}
	}
}

func (g *group) run(t *testing.T, state target.File, shell, outcome string, befall func(h *host)) {
	h := newHost(t).vendor()
	values := g.values
	if values == "" {
		values = wanted
	}
	h.values(values)
	if befall != nil {
		befall(h)
	}
	apply, code := h.run(shell, "apply", nicName)
	check, checked := h.run(shell, "check", nicName)
	args := []string{"show", nicName, "vlan=100", "vlan_ip=192.0.2.9/24"}
	if g.values == wanted+stated {
		args = append(args, strings.Fields(stated)...)
	}
	shown := h.good(args...)
	_, ds := state.Edit([]byte(shown))
	should := "," + line(wanted, "should") + ","
	for key := range strings.FieldsSeq(g.keys) {
		want, is := line(values, key), line(shown, key)
		lacks := strings.HasPrefix(is, "unsupported") || strings.HasPrefix(is, "unreadable")
		switch {
		case is == want && outcome != "reverts":
			assert.NotContains(t, apply, ": "+key+" ", "%s is as it should be", key)
			assert.NotContains(t, "\n"+check, "\n"+key+" ", "%s is as it should be", key)
		case lacks && strings.Contains(should, ","+key+","):
			assert.NotContains(t, apply, ": "+key+" ", "%s only helps", key)
			assert.False(t, refused(ds, key), "plan refuses %s, which only helps", key)
		default:
			assert.NotZero(t, code, "apply is content with %s=%s", key, is)
			assert.NotZero(t, checked, "check is content with %s=%s", key, is)
			assert.True(t, outcome == "reverts" || strings.Contains(apply, ": "+key+" ") || strings.Contains(apply, "cannot read its priorities") ||
				strings.Contains(apply, "RDMA device") || strings.Contains(apply, "switch the agent off"), "%s=%s: %s", key, is, apply)
			assert.Contains(t, "\n"+check, "\n"+key+" ", "%s=%s", key, is)
			if lacks && g.values == "" {
				assert.True(t, refused(ds, key), "plan accepts %s=%s", key, is)
			}
		}
		assert.True(t, outcome != "settable" || is == want, "%s=%s", key, is)
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
