package bnxt

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/nic/hosttest"
	"github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(hosttest.Main(m))
}

const (
	nicName = "ens4f0"
	device  = "bnxt_re0"
	bdf     = "0000:05:00.0"
	ccHome  = "sys/kernel/config/bnxt_re/" + device + "/ports/1/cc/"
	debugCC = "sys/kernel/debug/bnxt_re/" + bdf + "/cc_config/"
)

// wanted are the values of a NIC whose group of RoCE has ECN, and DSCP 26 and priority 3.
const wanted = `cc_mode=1
cnp_dscp=48
cnp_prio=6
dcbx=host
dscp_prio0=0-7,24-25,27-31
dscp_prio1=8-15
dscp_prio2=16-23
dscp_prio3=26
dscp_prio4=32-39
dscp_prio5=40-47
dscp_prio6=48-55
dscp_prio7=56-63
ecn_enable=on
ecn_marking=1
ets_bw=50,50,0,0,0,0,0,0
ets_tc=0,0,0,1,0,0,2,0
ets_tsa=ets,ets,strict,strict,strict,strict,strict,strict
mtu=9000
pause=off
pfc=0,0,0,1,0,0,0,0
prio_vlan=off
roce_dscp=26
roce_mode=RoCE v2
roce_prio=3
roce_udp=3
should=cc_mode,ecn_enable,ecn_marking,prio_vlan,roce_dscp,roce_prio,traffic_class
tos=104
traffic_class=104
trust=dscp
`

// host simulates a host with one NIC.
type host struct{ *hosttest.Machine }

// newHost returns a host with the NIC, its value file, and RDMA-CM. It has neither driver's congestion control.
func newHost(t testing.TB) *host {
	h := &host{hosttest.New(t, "bnxt", family.Script())}
	h.Env = append(h.Env, "ROCEC_WAIT=1")
	h.Command("sleep", ":")
	h.Add(sim.NIC{
		Netdev: target.Netdev{Name: nicName, Driver: "bnxt_en", PCI: bdf, MTU: 9000}, ID: [2]string{"0x14e4", "0x1750"}, RDMA: device,
	})
	h.Mkdir("sys/kernel/config/rdma_cm")
	h.values(wanted)
	return h
}

func (h *host) values(text string) {
	h.Write("etc/rocec/host/"+nicName+".conf", strings.TrimSuffix(text, "\n"))
}

// vendor adds the configfs of Broadcom's driver. A shell that writes to apply is slower than a file, so rmdir applies what was written: the
// script removes the folder after each write. The NIC's values are lines of $FAKE_DIR/cc.
func (h *host) vendor() *host {
	h.Mkdir("sys/kernel/config/bnxt_re")
	old := hosttest.Replacement("mkdir")
	h.Command("mkdir", fmt.Sprintf(`case $1 in */bnxt_re/*) ;; *)
%s
exit ;;
esac
[ -z "${KNOBS:-}" ] || exec env -u KNOBS "$0" "$@"
[ "${1##*/}" = %s ] || { echo "mkdir: cannot create directory '$1': No such device" >&2; exit 1; }
/bin/mkdir "$1" "$1/ports" "$1/ports/1" "$1/ports/1/cc" || exit
ecn_enable=0 ecn_marking=0 cc_mode=0 disable_prio_vlan_tx=0 roce_prio=0 roce_dscp=0 cnp_prio=0 cnp_dscp=0
g=8 inact_th=10000 init_cr=200 init_tr=1000
[ ! -e "$FAKE_DIR/cc" ] || . "$FAKE_DIR/cc"
cd "$1/ports/1/cc" || exit
word() { [ "$1" = 0 ] && echo Disabled || echo Enabled; }
{
	printf 'ecn status (ecn_enable)\t\t\t\t\t: %%s\n' "$(word "$ecn_enable")"
	set -- Not-ECT 'ECT(1)' 'ECT(0)'; shift "$((ecn_marking))"
	printf 'ecn marking (ecn_marking)\t\t\t\t\t: %%s\n' "$1"
	set -- DCQCN-D DCQCN-P; shift "$((cc_mode))"
	printf 'congestion control mode (cc_mode)\t\t\t: %%s\n' "$1"
	set -- Enabled Disabled; shift "$((disable_prio_vlan_tx))"
	printf 'send priority vlan (VLAN 0)\t\t\t\t: %%s\n' "$1"
	printf 'running avg. weight(g)\t\t\t\t\t: %%u\ninactivity threshold (inact_th)\t\t\t\t: %%u usec\n' "$g" "$inact_th"
	printf 'initial current rate (init_cr)\t\t\t\t: %%#x\ninitial target rate (init_tr)\t\t\t\t: %%#x\n' "$init_cr" "$init_tr"
	printf 'roce prio (roce_prio)\t\t\t\t\t: %%d\nroce dscp (roce_dscp)\t\t\t\t\t: %%d\n' "$roce_prio" "$roce_dscp"
	[ "$ecn_enable" = 0 ] || printf 'cnp prio (cnp_prio)\t\t\t\t\t: %%d\ncnp dscp (cnp_dscp)\t\t\t\t\t: %%d\n' "$cnp_prio" "$cnp_dscp"
} >apply
for name in ecn_enable ecn_marking cc_mode disable_prio_vlan_tx roce_prio roce_dscp cnp_prio cnp_dscp g inact_th init_cr init_tr; do
	echo as before >$name
done
`, old, device))
	rm := hosttest.Replacement("rmdir")
	h.Command("rmdir", fmt.Sprintf(`case $1 in */bnxt_re/*) ;; *)
%s
exit ;;
esac
[ -z "${KNOBS:-}" ] || exec env -u KNOBS "$0" "$@"
cd "$1/ports/1/cc" || exit
read -r line <apply
if [ "$line" = 0x1 ]; then
	for name in *; do
		read -r value <$name
		[ $name = apply ] || [ "$value" = "as before" ] || echo "$name=$((value))" >>"$FAKE_DIR/cc"
	done
	echo '%s cc applied' >>"$FAKE_DIR/log"
fi
exec /bin/rm -r "$1"
`, rm, nicName))
	return h
}

// inbox adds the parameters that the kernel's own driver shows.
func (h *host) inbox(enable, marking, dscp, prio string) *host {
	for name, value := range map[string]string{
		"enable_cc": enable, "tos_ecn": marking, "cc_mode": "1", "alt_vlan_dscp": dscp, "alt_vlan_pcp": prio, "tos_dscp": "26",
		"run_avg_weight_g": "8", "inactivity_cp": "10000", "init_cr": "200", "init_tr": "1000",
	} {
		h.Write(debugCC+name, value)
	}
	return h
}

// run runs a verb of the script in a shell, and returns the text of both outputs, and the status.
func (h *host) run(shell string, args ...string) (string, int) {
	r := hosttest.Shells[shell](h.Machine, args...)
	return r.Out + r.Err, r.Code
}

// good runs a verb in the shell of Debian, which must succeed.
func (h *host) good(args ...string) string {
	h.T.Helper()
	out, code := h.run("dash", args...)
	require.Zero(h.T, code, out)
	return out
}

// Every shell brings about all values in the order of the vendor's script; then check agrees, and a second apply writes nothing.
func TestApply(t *testing.T) {
	for name := range hosttest.Rotate(0, true) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t).vendor()
			out, code := h.run(name, "apply", nicName)
			require.Zero(t, code, out)
			log := strings.Join(h.Log(), "\n")
			last := -1
			for _, step := range []string{
				"ethtool -A off off", "ets", "pfc 08", "add dscp 26:3", "add app 3 4791:3", "cc applied", "del dscp 26:3",
			} {
				at := strings.Index(log, nicName+" "+step)
				require.Greater(t, at, last, "%s", step)
				last = at
			}
			show, code := h.run(name, "show", nicName)
			require.Zero(t, code)
			for line := range strings.Lines(wanted) {
				if strings.HasPrefix(line, "should=") || strings.HasPrefix(line, "traffic_class=") {
					continue
				}
				assert.Contains(t, show, line)
			}
			out, code = h.run(name, "check", nicName)
			require.Zero(t, code, out)
			out, code = h.run(name, "apply", nicName)
			require.Zero(t, code, out)
			assert.Equal(t, log, strings.Join(h.Log(), "\n"), "nothing is left to do")
			assert.False(t, h.Has("sys/kernel/config/bnxt_re/"+device), "the folder in configfs is removed")
		})
	}
}

// Numbers in configfs are hexadecimal, so 48 is written as 0x30.
func TestHexadecimal(t *testing.T) {
	h := newHost(t).vendor()
	h.good("apply", nicName)
	for _, line := range []string{"cnp_dscp=48", "cnp_prio=6", "roce_dscp=26", "roce_prio=3", "disable_prio_vlan_tx=1", "cc_mode=1"} {
		assert.Contains(t, h.Read("fake/cc")+"\n", line+"\n")
	}
}

// An apply of congestion control may clear the NIC's map of DSCP, so the map is written again after it.
func TestMapAfterCongestionControl(t *testing.T) {
	h := newHost(t).vendor()
	h.good("apply", nicName)
	h.Write("fake/cc", "cnp_dscp=40")
	before := len(h.Log())
	h.good("apply", nicName)
	log := strings.Join(h.Log()[before:], "\n")
	require.Contains(t, log, "cc applied")
	_, after, _ := strings.Cut(log, "cc applied")
	assert.Contains(t, after, "add dscp 26:3", "the map is written again")
	assert.Contains(t, h.good("show", nicName), "dscp_prio3=26\n")
}

// An apply of congestion control clears the maps of both ports of a bond, so both are written again. The other port keeps its own map.
func TestMapsOfABond(t *testing.T) {
	const other = "ens4f1"
	h := newHost(t).vendor()
	h.Add(sim.NIC{Netdev: target.Netdev{Name: other, Driver: "bnxt_en", PCI: "0000:05:00.1", MTU: 9000}})
	h.Bond("bond0", nicName, other)
	h.values("bond=bond0\n" + wanted)
	h.Sh("env " + strings.Join(h.Env, " ") + " " + machinetest.Need(t, "dcb") + " app add dev " + other + " dscp-prio 26:3 40:2")
	h.good("apply", nicName)
	_, after, is := strings.Cut(strings.Join(h.Log(), "\n"), "cc applied")
	require.True(t, is)
	assert.Contains(t, after, nicName+" add dscp 26:3\n")
	assert.Contains(t, after, other+" add dscp 26:3\n"+other+" add dscp 40:2")
	assert.NotContains(t, after, other+" add dscp 0:0")
}

// A map that cannot be written again is reported, by the apply that lost it and by every later check, although the kernel's table had it.
func TestMapThatIsLost(t *testing.T) {
	h := newHost(t).vendor()
	h.good("apply", nicName)
	h.Write("fake/cc", "cnp_dscp=40")
	h.Env = append(h.Env, "DCBSHIM_FAULT=app=keep")
	out, code := h.run("dash", "apply", nicName)
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "the DSCP map cannot be written again after congestion control: ")
	out, code = h.run("dash", "check", nicName)
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "dscp_prio3 is none, not 26\n")
}

// A folder of configfs that is not made, or that the other port of a bond removes, is never taken for a driver without the parameters.
func TestFolderOfCongestionControl(t *testing.T) {
	h := newHost(t).vendor()
	h.good("apply", nicName)
	old := h.Path("usr/sbin/mkdir.old")
	wrap("mkdir", `*/bnxt_re/*)
	`+old+` "$@" || exit
	[ -e "$FAKE_DIR/once" ] || { : >"$FAKE_DIR/once"; exec /bin/rm -r "$1"; }
	exit ;;`)(h)
	assert.Contains(t, h.good("show", nicName), "ecn_enable=on\n", "the folder is made again")
	h.Command("mkdir", "exit 1")
	assert.Contains(t, h.good("show", nicName), "ecn_enable=unreadable: the folder of "+device+" in the configfs of bnxt_re cannot be made\n")
	h.Remove("sys/devices/" + bdf + "/infiniband")
	assert.Contains(t, h.good("show", nicName), "ecn_enable=unsupported: the interface has no RDMA device; load bnxt_re\n")
}

// The kernel's table keeps several priorities of a DSCP. The script removes all entries of such a DSCP and adds the wanted one, because
// the NIC loses a DSCP with any removed entry.
func TestTwoPrioritiesOfOneDSCP(t *testing.T) {
	h := newHost(t).vendor()
	dcb := machinetest.Need(t, "dcb")
	env := strings.Join(h.Env, " ")
	h.Sh("env " + env + " " + dcb + " app add dev " + nicName + " dscp-prio 26:3 26:5 48:7")
	h.good("apply", nicName)
	first, _, _ := strings.Cut(strings.Join(h.Log(), "\n"), "add dscp 0:0")
	for _, gone := range []string{"26:3", "26:5", "48:7"} {
		assert.Contains(t, first, "del dscp "+gone)
	}
	show := h.good("show", nicName)
	assert.Contains(t, show, "dscp_prio3=26\n")
	assert.Contains(t, show, "dscp_prio5=40-47\n")
}

// With service profiles the firmware takes the priorities from the classes and refuses their files.
func TestServiceProfiles(t *testing.T) {
	h := newHost(t).vendor()
	h.Write("fake/cc", "cnp_prio=6\nroce_prio=3")
	h.Write("sys/kernel/debug/bnxt_re/"+device+"/info", "\tfw_service_prof_type_sup : 1")
	h.Env = append(h.Env, "KNOBS=cc/roce_prio=refuse:cc/cnp_prio=refuse")
	h.good("apply", nicName)
	h.good("check", nicName)
	assert.NotContains(t, strings.Join(h.Log(), "\n"), "del dscp", "such firmware keeps the map")
}

// The agent of the firmware is an obstacle that plan and apply name, with what to do. apply writes nothing.
func TestFirmwareAgent(t *testing.T) {
	h := newHost(t).vendor()
	h.Write("fake/"+nicName+".lldp", "")
	assert.Contains(t, h.good("show", nicName), "dcbx=unsupported: the agent of the NIC firmware decides (LLDP or DCBX)")
	out, code := h.run("dash", "apply", nicName)
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "switch the agent off in NVRAM (options 155, 255, 269 and 270), by niccli or bnxtnvm")
	assert.Empty(t, h.Log())
}

// An obstacle is reported with its remedy, and never counts as success.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  string
	}{
		{"another driver", func(h *host) {
			h.Remove("sys/devices/" + bdf + "/driver")
			h.Link("../../bus/pci/drivers/ice", "sys/devices/"+bdf+"/driver")
		}, "the driver is ice, and these settings are for bnxt_en"},
		{"lldpad", func(h *host) { h.Write("fake/lldpad", "") }, "lldpad is active"},
		{"no tool", func(h *host) { h.Command("dcb", "exit 1") }, "dcb cannot read its priorities; install iproute2"},
		{"two lossless classes", func(h *host) {
			h.values(strings.NewReplacer("pfc=0,0,0,1,0,0,0,0", "pfc=0,0,0,1,0,0,1,0").Replace(wanted))
		}, "pfc is 0,0,0,0,0,0,0,0, not 0,0,0,1,0,0,1,0: Attribute write: Invalid argument"},
		{"no RDMA device", func(h *host) { h.Remove("sys/devices/" + bdf + "/infiniband") }, "no RDMA device appeared in 1 s; is bnxt_re loaded"},
		{"a value of another family", func(h *host) { h.values(wanted + "cable=7") }, "not a setting of this script: cable=7"},
		{"RoCE of another number", func(h *host) {
			h.values(strings.Replace(wanted, "roce_udp=3", "roce_udp=8", 1))
		}, "not a setting of this script: roce_udp=8"},
		{
			"no driver with congestion control", func(h *host) { h.Remove("sys/kernel/config/bnxt_re") },
			"cnp_dscp cannot be set here: unsupported: only Broadcom's driver has a documented switch for it",
		},
		{"the kernel's own driver with another mark", func(h *host) {
			h.Remove("sys/kernel/config/bnxt_re")
			h.inbox("1", "1", "0", "6")
		}, "cnp_dscp is 0, not 48: only Broadcom's driver has a documented switch for it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t).vendor()
			c.spoil(h)
			out, code := h.run("dash", "apply", nicName)
			assert.Equal(t, 1, code)
			assert.Contains(t, out, c.want)
		})
	}
}

// The kernel's own driver shows congestion control. The script accepts what is right, never writes there, and misses what only helps.
func TestKernelDriver(t *testing.T) {
	h := newHost(t).inbox("0", "0", "48", "6")
	h.good("apply", nicName)
	show := h.good("show", nicName)
	assert.Contains(t, show, "cnp_dscp=48\ncnp_prio=6\n")
	assert.Contains(t, show, "ecn_enable=unsupported: it is off, and only Broadcom's driver has a documented switch for it")
	assert.Contains(t, show, "ecn_marking=unsupported: it is 0, and")
	assert.Contains(t, show, "cc_mode=1\n")
	assert.Equal(t, "0", h.Read(debugCC+"enable_cc"))
	h.good("check", nicName)
	h.Remove("etc/rocec/host/" + nicName + ".conf")
	assert.Contains(t, h.good("show", nicName), "ecn_enable=off\n", "without a value file nothing is missed")

	h = newHost(t).inbox("1", "x1", "48", "6")
	assert.Contains(t, h.good("show", nicName), "ecn_marking=unreadable: ")
}

// A port of a bond with other marks than the first port is reported.
func TestPortsOfABond(t *testing.T) {
	h := newHost(t)
	h.Write(ccHome+"apply", "ecn status (ecn_enable)\t: Enabled\ncnp dscp (cnp_dscp)\t: 48\nslave cnp dscp (cnp_dscp)\t: 40\n"+
		"cnp prio (cnp_prio)\t: 6\nslave cnp prio (cnp_prio)\t: 6")
	show := h.good("show", nicName)
	assert.Contains(t, show, "cnp_dscp=48 and 40\ncnp_prio=6\n")
	for _, text := range []string{"", "nothing", "ecn status (ecn_enable)", strings.Repeat("x", 9000)} {
		h.Write(ccHome+"apply", text)
		assert.Contains(t, h.good("show", nicName), "ecn_enable=unreadable: ", "%.20q", text)
	}
	h.Write(ccHome+"apply", "ecn status (ecn_enable) : $(reboot)\ncnp dscp (cnp_dscp) : 99\ncnp prio (cnp_prio) : -1")
	show = h.good("show", nicName)
	assert.Contains(t, show, "ecn_enable=unreadable: ")
	assert.Contains(t, show, "cnp_dscp=none\ncnp_prio=none\n")
}

// Leaving restores every value from before the first apply, with each shell, also of a NIC that the vendor's driver has set at boot.
func TestLeaveIsIdentity(t *testing.T) {
	for i, c := range []struct{ name, apps, cc string }{
		{"from the factory", "", ""},
		{
			"as Broadcom's driver loads", "dscp-prio 26:3 48:7 dgram-port-prio 4791:3",
			"ecn_enable=1\necn_marking=1\nroce_prio=3\nroce_dscp=26\ncnp_prio=7\ncnp_dscp=48\ndisable_prio_vlan_tx=1",
		},
		{"with other applications", "dscp-prio 10:2 26:4 dgram-port-prio 4791:4 4791:5 53:1 ethtype-prio 0x8915:4", "ecn_marking=2"},
	} {
		for name := range hosttest.Rotate(i, false) {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				h := newHost(t).vendor()
				if c.apps != "" {
					h.Sh("env " + strings.Join(h.Env, " ") + " " + machinetest.Need(t, "dcb") + " app add dev " + nicName + " " + c.apps)
				}
				if c.cc != "" {
					h.Write("fake/cc", c.cc)
				}
				h.Remove("etc/rocec/host/" + nicName + ".conf")
				before := h.good("show", nicName)
				apps := h.Sh("env " + strings.Join(h.Env, " ") + " " + machinetest.Need(t, "dcb") + " -N app show dev " + nicName)
				h.values(wanted)
				out, code := h.run(name, "apply", nicName)
				require.Zero(t, code, out)
				h.Remove("etc/rocec/host/" + nicName + ".conf")
				out, code = h.run(name, "leave", nicName)
				require.Zero(t, code, out)
				assert.Equal(t, before, h.good("show", nicName))
				assert.Equal(t, apps, h.Sh("env "+strings.Join(h.Env, " ")+" "+machinetest.Need(t, "dcb")+" -N app show dev "+nicName))
				assert.False(t, h.Has("var/lib/rocec/rocec-host-bnxt/"+nicName+".before"))
			})
		}
	}
}

// show, check and gids change nothing, in no file and at no time of change.
func TestReadingWritesNothing(t *testing.T) {
	h := newHost(t).vendor()
	h.good("apply", nicName)
	h.Mkdir("sys/kernel/config/bnxt_re")
	h.good("show", nicName)
	before := h.Snapshot()
	h.good("show", nicName)
	h.good("check", nicName)
	h.good("gids", nicName)
	for _, changed := range h.Changed(before) {
		assert.True(t, strings.HasPrefix(changed, "/sys/kernel/config/bnxt_re"), changed) // a read makes a folder, and removes it
	}
}
