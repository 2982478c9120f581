package sim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/sim"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

const (
	conf = "/etc/cumulus/datapath/traffic.conf"
	node = "/cumulus/switchd/config/traffic/reload"
)

const goodTraffic = `# a switch
traffic.packet_priority_source_set = [802.1p]
traffic.cos_0.priority_source.8021p = [0]
traffic.cos_1.priority_source.8021p = [1]
traffic.cos_2.priority_source.8021p = [2]
traffic.cos_3.priority_source.8021p = []
traffic.cos_4.priority_source.8021p = [3,4]
traffic.cos_5.priority_source.8021p = [5]
traffic.cos_6.priority_source.8021p = [6]
traffic.cos_7.priority_source.8021p = [7]
traffic.priority_group_list = [control, service, bulk]
priority_group.control.cos_list = [7]
priority_group.service.cos_list = [2]
priority_group.bulk.cos_list = [0,1,3,4,5,6]
`

// boot returns a switch of 4.3, or of a release without reload and checker.
func boot(c sim.Config) *lab.Device {
	image := func(*ir.Device) target.Image {
		return target.Image{Files: map[string]string{conf: goodTraffic}, Sims: []target.Sim{sim.New(c)}}
	}
	return lab.NewDevice(&target.Device{Name: "leaf01", Role: target.Switch, Target: &target.Target{User: "cumulus", Image: image}})
}

var newest = sim.Config{Conf: conf, Unit: "switchd.service", Reload: node, Checker: true}

// run runs a command as root. It returns the status, and the output followed by the errors.
func run(t *testing.T, d *lab.Device, cmd string) (status int, said string) {
	t.Helper()
	out, errs, status := d.Run(t.Context(), "root", cmd, "")
	return status, out + errs
}

// good runs a command that must succeed.
func good(t *testing.T, d *lab.Device, cmd string) string {
	t.Helper()
	status, said := run(t, d, cmd)
	require.Equal(t, 0, status, "%s\n%s", cmd, said)
	return said
}

func TestSwitchd(t *testing.T) {
	d := boot(newest)
	loaded := func() (string, int) {
		content, times := targettest.Sim[*sim.Switchd](d.Sims()).Loaded()
		return string(content), times
	}
	content, times := loaded()
	require.Equal(t, goodTraffic, content, "it loaded the factory's file at boot")
	require.Equal(t, 1, times)
	out, _, status := d.Run(t.Context(), "cumulus", "systemctl is-active switchd.service; systemctl restart switchd.service", "")
	require.Equal(t, "active\n", out)
	require.Equal(t, 1, status, "not without root")

	check := "PATH=$PATH:/usr/cumulus/bin; cl-consistency-check --datapath-syntax-check -t /new"
	list := goodTraffic + "pfc.port_group_list = [roce]\n"
	cos := list + "pfc.roce.cos_list = [3]\n"
	group := cos + "pfc.roce.port_set = swp1-swp2\n"
	for reason, bad := range map[string]string{
		"Syntax error in line 1":                           "link pause\n" + goodTraffic,
		"missing mapping for priority value '7'":           strings.Replace(goodTraffic, "8021p = [7]", "8021p = []", 1),
		"cos 2 is in no priority group":                    strings.Replace(goodTraffic, "service.cos_list = [2]", "service.cos_list = []", 1),
		"cos 2 is in the priority groups service and bulk": strings.Replace(goodTraffic, "[0,1,", "[0,1,2,", 1),
		"pfc: port group roce has no port_set":             cos,
		"pfc: port group roce has no cos_list":             list + "pfc.roce.port_set = swp1\n",
		"no such port":                                     cos + "pfc.roce.port_set = eth0\n",
		"no such cos":                                      strings.Replace(group, "[3]\npfc", "[8]\npfc", 1),
		"is not a number of bytes":                         group + "pfc.roce.xoff_size = big\n",
		"pfc.roce.rx_enable: no such value: \"maybe\"":     group + "pfc.roce.rx_enable = maybe\n",
		"pfc.roce.xof_size: no such key":                   group + "pfc.roce.xof_size = 1\n",
	} {
		d := boot(newest)
		d.WriteFile("/new", []byte(bad), 0o644)
		status, said := run(t, d, check)
		require.Equal(t, 1, status)
		require.Contains(t, said, reason)
		require.Contains(t, said, "Errors detected while checking traffic config file /new\n")
		good(t, d, "cp /new "+conf)
		status, _ = run(t, d, "systemctl restart switchd")
		require.Equal(t, 1, status)
		require.False(t, d.Active("switchd"))
		require.Contains(t, good(t, d, "cat /var/log/switchd.log"), reason)
		status, _ = run(t, d, "echo 1 >"+node)
		require.Equal(t, 1, status, "a reload is refused, too")
	}

	fine := group + "pfc.roce.xoff_size = 18000\nsflow.rate.swp1 = 4096\n"
	d.WriteFile("/new", []byte(fine), 0o644)
	require.Equal(t, "No errors detected in traffic config file /new\n", good(t, d, check))
	require.Equal(t, "No errors detected in traffic config file "+conf+"\n", good(t, d, "/usr/cumulus/bin/cl-consistency-check -d"))
	good(t, d, "mv /new "+conf)
	content, _ = loaded()
	require.Equal(t, goodTraffic, content, "a file is in use only after a reload")
	good(t, d, "echo 1 >"+node)
	content, times = loaded()
	require.Equal(t, fine, content)
	require.Equal(t, 2, times)
	status, _ = run(t, d, "echo 2 >"+node)
	require.Equal(t, 1, status)
	good(t, d, "systemctl restart switchd.service")
	_, times = loaded()
	require.Equal(t, 3, times)
	for _, options := range []string{"", "-t /new", "-d -t /nope", "-d -x"} {
		status, _ = run(t, d, "/usr/cumulus/bin/cl-consistency-check "+options)
		require.Equal(t, 1, status, options)
	}
	status, said := run(t, d, "echo nonsense >/new; /usr/cumulus/bin/cl-consistency-check -d -q -t /new")
	require.Equal(t, 1, status)
	require.Empty(t, said)
	require.Contains(t, good(t, d, "cat /var/log/switchd.log"), "nonsense")
}

// TestOlderSwitchd: an older release has no reload node and no checker, accepts partial maps, and starts without a file.
func TestOlderSwitchd(t *testing.T) {
	d := boot(sim.Config{Conf: conf, Unit: "switchd.service"})
	good(t, d, "test ! -e "+node+" && ! command -v cl-consistency-check")
	d.WriteFile(conf, []byte(strings.Replace(goodTraffic, "8021p = [7]", "8021p = []", 1)), 0o644)
	good(t, d, "systemctl restart switchd && rm "+conf+" && systemctl restart switchd")
	_, times := targettest.Sim[*sim.Switchd](d.Sims()).Loaded()
	require.Equal(t, 2, times)
}
