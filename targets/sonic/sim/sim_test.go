package sim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy/lab"
	"github.com/rocec/rocec/targets/sonic/sim"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// TestFactory: the factory states of a switch, which every branch's own models accept.
func TestFactory(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release})
		run := b.running()
		require.NotContains(t, run, "PORT_QOS_MAP", "no QoS")
		require.NotContains(t, run, "BUFFER_POOL")
		require.Equal(t, "up", run["PORT"]["Ethernet0"]["admin_status"])
		b.patch("[]")

		b = boot(t, sim.Box{Release: release, QoS: sim.Template})
		run = b.running()
		require.Equal(t, "1", run["DSCP_TO_TC_MAP"]["AZURE"]["26"], "26 is lossy")
		require.Equal(t, "3", run["DSCP_TO_TC_MAP"]["AZURE"]["3"])
		require.Len(t, run["DSCP_TO_TC_MAP"]["AZURE"], 64)
		require.Equal(t, "pg_lossless_100000_5m_profile", run["BUFFER_PG"]["Ethernet0|3-4"]["profile"], "buffermgrd has made the group")
		require.Equal(t, map[string]any{
			"pool": "ingress_lossless_pool", "size": "50176", "xon": "19456", "xoff": "30720", "dynamic_th": "0",
		}, run["BUFFER_PROFILE"]["pg_lossless_100000_5m_profile"])
		require.Equal(t, "30720", b.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile")["xoff"])
		require.Equal(t, "pg_lossless_100000_5m_profile", b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"])
		b.patch("[]")

		b = boot(t, sim.Box{Release: release, QoS: sim.Template, Model: sim.Dynamic, Spectrum: 1})
		run = b.running()
		require.Equal(t, "NULL", run["BUFFER_PG"]["Ethernet0|3-4"]["profile"])
		require.NotContains(t, run["BUFFER_PROFILE"], "pg_lossless_100000_5m_profile")
		require.NotContains(t, run["BUFFER_POOL"]["ingress_lossless_pool"], "size")
		require.Equal(t, "pg_lossless_100000_5m_profile", b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"])
		require.NotEmpty(t, b.Applied("BUFFER_POOL_TABLE:ingress_lossless_pool")["size"])
		b.patch("[]")
	}
	b := boot(t, sim.Box{
		Release: "202311", Build: "20231110.19", ASIC: "broadcom", HwSKU: "Force10-S6100", Platform: "x86_64-dell_s6100_c2538-r0",
	})
	text, err := b.d.ReadFile(sim.VersionPath)
	require.NoError(t, err)
	require.Contains(t, string(text), "build_version: '20231110.19'\n")
	require.Contains(t, string(text), "asic_type: broadcom\n")
	lookup, err := b.d.ReadFile("/usr/share/sonic/device/x86_64-dell_s6100_c2538-r0/Force10-S6100/pg_profile_lookup.ini")
	require.NoError(t, err)
	require.Contains(t, string(lookup), "100000   40m")
	var platform struct {
		Interfaces map[string]struct {
			Index, Lanes string
			Modes        map[string][]string `json:"breakout_modes"`
		}
	}
	text, err = b.d.ReadFile("/usr/share/sonic/device/x86_64-dell_s6100_c2538-r0/platform.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &platform))
	require.Equal(t, "2,2,2,2", platform.Interfaces["Ethernet4"].Index)
	require.Equal(t, []string{"etp2a", "etp2b"}, platform.Interfaces["Ethernet4"].Modes["2x50G"])
	text, err = b.d.ReadFile("/usr/share/sonic/device/x86_64-dell_s6100_c2538-r0/Force10-S6100/port_config.ini")
	require.NoError(t, err)
	require.Contains(t, string(text), "Ethernet4       4,5,6,7              etp2      2         100000\n")
}

// TestTools: the output of commands.
func TestTools(t *testing.T) {
	b := boot(t, sim.Box{QoS: sim.Template})
	for _, c := range []struct{ cmd, out string }{
		{"sonic-cfggen -d -v DEVICE_METADATA.localhost.hwsku", "ACS-MSN2700\n"},
		{`sonic-cfggen -d -v "DEVICE_METADATA['localhost']['platform']"`, "x86_64-mlnx_msn2700-r0\n"},
		{"sonic-cfggen -d -v DEVICE_METADATA.localhost.nothing", "\n"},
		{"sonic-cfggen --print-data", "{}\n"},
		{"sonic-cfggen -d --var-json TC_TO_QUEUE_MAP | head -n 3", "{\n    \"AZURE\": {\n        \"0\": \"0\",\n"},
		{"sonic-cfggen -d --var-json NOTHING", ""},
		{"sonic-cfggen --var-json TC_TO_QUEUE_MAP", ""},
		{"sonic-db-cli PING", "PONG\n"},
		{"sonic-db-cli CONFIG_DB PING", "PONG\n"},
		{"sonic-db-cli CONFIG_DB HGETALL 'QUEUE|Ethernet0|3'", "{'scheduler': 'scheduler.1', 'wred_profile': 'AZURE_LOSSLESS'}\n"},
		{"sonic-db-cli CONFIG_DB HGETALL 'QUEUE|Ethernet0|9'", "{}\n"},
		{"sonic-db-cli CONFIG_DB HGET 'PORT|Ethernet4' speed", "100000\n"},
		{"sonic-db-cli CONFIG_DB HGET 'PORT|Ethernet4' nothing", "\n"},
		{"sonic-db-cli CONFIG_DB KEYS 'BUFFER_PG|Ethernet8|*'", "BUFFER_PG|Ethernet8|0\nBUFFER_PG|Ethernet8|3-4\n"},
		{"sonic-db-cli CONFIG_DB KEYS 'BUFFER_PG|Ethernet?2|3*'", "BUFFER_PG|Ethernet12|3-4\n"},
		{"sonic-db-cli CONFIG_DB EXISTS 'PORT|Ethernet4'", "1\n"},
		{"sonic-db-cli CONFIG_DB EXISTS 'PORT|Ethernet5'", "0\n"},
		{"sonic-db-cli CONFIG_DB KEYS 'NONE|*'", "\n"},
		{"sonic-db-cli CONFIG_DB HSET 'X|a' f 1 g 2", "2\n"},
		{"sonic-db-cli CONFIG_DB HSET 'X|a' f 2 h 3", "1\n"},
		{"sonic-db-cli CONFIG_DB HDEL 'X|a' f g none", "2\n"},
		{"sonic-db-cli CONFIG_DB HGETALL 'X|a'", "{'h': '3'}\n"},
		{"sonic-db-cli CONFIG_DB HDEL 'X|a' h", "1\n"},
		{"sonic-db-cli CONFIG_DB DEL 'X|a' 'X|b'", "0\n"},
		{"sonic-db-cli APPL_DB HGET BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile xoff", "30720\n"},
		{"sonic-db-cli STATE_DB HGET 'BUFFER_MAX_PARAM_TABLE|global' mmu_size", "13945824\n"},
		{"sonic-db-cli STATE_DB HGET 'PORT_TABLE|Ethernet0' netdev_oper_status", "up\n"},
		{"sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet4", "oid:0x1000000000002\n"},
		{"sonic-db-cli COUNTERS_DB HGET COUNTERS_PG_NAME_MAP Ethernet0:3", "oid:0x1a000000000004\n"},
		{"show pfc priority Ethernet0", "\nInterface    Lossless priorities\n-----------  ---------------------\nEthernet0    3,4\n\n"},
		{"show pfc priority Ethernet1", "Cannot find interface Ethernet1\n"},
		{"config list-checkpoints", "[]\n"},
	} {
		require.Equal(t, c.out, b.ok(c.cmd), c.cmd)
	}
	for _, c := range []struct {
		status int
		cmd    string
		says   string
	}{
		{1, "sonic-cfggen -d --print-data -n asic0", "Namespace asic0 is not a valid namespace name"},
		{2, "sonic-cfggen -d -v", "expected one argument"},
		{2, "sonic-cfggen --frob", "unrecognized arguments: --frob"},
		{1, "sonic-db-cli", "usage: sonic-db-cli"},
		{1, "sonic-db-cli NO_DB KEYS '*'", "Invalid database name input : 'NO_DB'"},
		{1, "sonic-db-cli CONFIG_DB FROB x", "unknown command 'FROB'"},
		{1, "sonic-db-cli CONFIG_DB HGET x", "wrong number of arguments"},
		{1, "sonic-db-cli -n asic0 CONFIG_DB KEYS '*'", "not a valid namespace"},
		{1, "sonic-db-cli APPL_DB HSET a b c", "is written by daemons"},
		{2, "config frob", `Error: No such command "frob".`},
		{2, "config apply-patch", "Usage: config apply-patch [OPTIONS] PATCH_FILE_PATH\n" +
			"Try \"config apply-patch -h\" for help.\n\nError: Missing argument \"PATCH_FILE_PATH\".\n"},
		{2, "config apply-patch -x /tmp/p", "Error: no such option: -x"},
		{2, "config apply-patch a b", "Got unexpected extra argument (b)"},
		{2, "config apply-patch /nope", "Failed to apply patch due to: [Errno 2] No such file or directory: '/nope'\nUsage: config apply-patch"},
		{2, "config rollback never", "Checkpoint 'never' does not exist"},
		{2, "config checkpoint ../../x", "No such file"},
		{1, "config save", "Existing files will be overwritten, continue? [y/N]: Aborted!\n"},
		{2, "show frob", "No such command"},
	} {
		require.Contains(t, b.bad(c.status, c.cmd), c.says, c.cmd)
	}
	for _, cmd := range []string{"config save -y", "pfcwd interval 200", "pfcwd stop"} {
		status, out, errs := b.as("admin", cmd)
		require.Equal(t, 1, status, cmd)
		require.Equal(t, "Root privileges are required for this operation\n", out+errs, cmd)
	}
	status, _, errs := b.as("admin", "ecnconfig -p AZURE_LOSSLESS -gmin 1")
	require.Equal(t, 1, status)
	require.Equal(t, "Root privileges required for this operation\n", errs)
	status, _, _ = b.as("admin", "sonic-cfggen -d --print-data")
	require.Equal(t, 0, status, "reading needs no rights")
	later := boot(t, sim.Box{Release: "202511"})
	require.Contains(t, later.bad(2, "config apply-patch"), "Try 'config apply-patch -h' for help.\n\nError: Missing argument 'PATCH_")
	require.Contains(t, later.bad(2, "config apply-patch -x /tmp/p"), "Error: No such option: -x")
	require.Contains(t, boot(t, sim.Box{Release: "202405"}).bad(2, "config apply-patch -p /tmp/p"), "no such option: -p")
	b.ok("sonic-db-cli CONFIG_DB HSET 'WRED_PROFILE|X' ecn frob")
	require.Equal(t, "frob", b.Row("WRED_PROFILE", "X")["ecn"], "neither the allow-list nor YANG is used")
	b.ok("sonic-db-cli CONFIG_DB DEL 'WRED_PROFILE|X'")
	require.Nil(t, b.Row("WRED_PROFILE", "X"))
	b.d.FailWrites()
	for _, cmd := range []string{
		"config save -y", "pfcwd interval 200", "sonic-db-cli CONFIG_DB HSET 'A|B' c d", "ecnconfig -p AZURE_LOSSLESS -gmin 1",
	} {
		require.Contains(t, b.bad(1, cmd), "Read-only file system", cmd)
	}
	b.d.AllowWrites()
}

// TestSaved: the running configuration, and the configuration after a reboot.
func TestSaved(t *testing.T) {
	b := boot(t, sim.Box{QoS: sim.Template})
	b.patch(replace("/SCHEDULER/scheduler.0/weight", `"20"`))
	b.d.PowerCut()
	require.Equal(t, "14", b.Row("SCHEDULER", "scheduler.0")["weight"], "it was not saved")
	b.patch(replace("/SCHEDULER/scheduler.0/weight", `"20"`))
	out := b.ok("config save -y")
	require.Equal(t, "Running command: /usr/local/bin/sonic-cfggen -d --print-data > /etc/sonic/config_db.json\n", out)
	saved, err := b.d.ReadFile(sim.SavedPath)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(b.ok("sonic-cfggen -d --print-data"), "\n"), string(saved))
	b.d.Reboot()
	require.Equal(t, "20", b.Row("SCHEDULER", "scheduler.0")["weight"])
	require.Equal(t, 0, b.Disrupted())
	b.patch(replace("/SCHEDULER/scheduler.0/weight", `"30"`))
	b.ok("config reload -y")
	require.Equal(t, "20", b.Row("SCHEDULER", "scheduler.0")["weight"])
	require.Equal(t, 1, b.Disrupted())
	b.d.WriteFile("/tmp/part.json", []byte(`{"SCHEDULER": {"scheduler.9": {"type": "STRICT"}}}`), 0o644)
	b.ok("config load /tmp/part.json -y")
	require.Equal(t, "STRICT", b.Row("SCHEDULER", "scheduler.9")["type"])
	require.Equal(t, "20", b.Row("SCHEDULER", "scheduler.0")["weight"], "merged")
	b.d.WriteFile(sim.SavedPath, []byte("{garbage"), 0o644)
	b.d.Reboot()
	require.Equal(t, "14", b.Row("SCHEDULER", "scheduler.0")["weight"], "config-setup makes the factory configuration")
}

// TestQoSReload: config qos reload changes the buffer model.
func TestQoSReload(t *testing.T) {
	b := boot(t, sim.Box{QoS: sim.Template})
	b.patch(add("/SCHEDULER/mine", `{"type": "STRICT"}`))
	b.patch(replace("/DSCP_TO_TC_MAP/AZURE/26", `"3"`))
	require.Contains(t, b.ok("config qos reload"), "restarting swss is required")
	require.Nil(t, b.Row("SCHEDULER", "mine"))
	require.Equal(t, "1", b.Row("DSCP_TO_TC_MAP", "AZURE")["26"])
	require.Equal(t, sim.Dynamic, b.Row("DEVICE_METADATA", "localhost")["buffer_model"], "the model has changed")
	require.Equal(t, "NULL", b.Row("BUFFER_PG", "Ethernet0|3-4")["profile"])
	require.Equal(t, "NULL", b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"], "swss still runs the old model")
	require.Equal(t, 1, b.Disrupted())
	b.ok("systemctl restart swss")
	require.Equal(t, "pg_lossless_100000_5m_profile", b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"])
	b.ok("config qos reload --no-dynamic-buffer")
	require.Equal(t, sim.Traditional, b.Row("DEVICE_METADATA", "localhost")["buffer_model"])
	b.Put("QUEUE", "Ethernet0|3", nil)
	b.Put("QUEUE", "Ethernet4|3", nil)
	cuts := b.Disrupted()
	b.ok("config qos reload --ports Ethernet4")
	require.Nil(t, b.Row("QUEUE", "Ethernet0|3"))
	require.NotNil(t, b.Row("QUEUE", "Ethernet4|3"))
	require.Equal(t, cuts, b.Disrupted())
	b.ok("config qos reload --dry_run /tmp/template.json")
	text, err := b.d.ReadFile("/tmp/template.json")
	require.NoError(t, err)
	require.Contains(t, string(text), `"AZURE_LOSSLESS"`)
	b.ok("config qos clear")
	require.Nil(t, b.Row("PORT_QOS_MAP", "Ethernet0"))
	bcm := boot(t, sim.Box{ASIC: "broadcom", HwSKU: "Arista-7060CX-32S-C32", Platform: "x86_64-arista_7060_cx32s"})
	require.Empty(t, bcm.ok("config qos reload"))
	require.Equal(t, sim.Traditional, bcm.Row("DEVICE_METADATA", "localhost")["buffer_model"])
	require.Equal(t, "165568", bcm.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile")["xoff"])
	require.Equal(t, "2288", bcm.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile")["xon_offset"])
}

// TestWatchdog: pfcwd writes settings that no patch may change.
func TestWatchdog(t *testing.T) {
	b := boot(t, sim.Box{Release: "202405", QoS: sim.Template})
	require.Contains(t, b.refuse(add("/PFC_WD", `{"GLOBAL": {"POLL_INTERVAL": "200"}}`)), "PFC_WD table is illegal")
	b.ok("pfcwd interval 200")
	b.ok("pfcwd start --action drop Ethernet0 200 --restoration-time 400")
	require.Equal(t, map[string]string{"action": "drop", "detection_time": "200", "restoration_time": "400"}, b.Row("PFC_WD", "Ethernet0"))
	require.Equal(t, "200", b.Row("PFC_WD", "GLOBAL")["POLL_INTERVAL"])
	b.patch(add("/PFC_WD/Ethernet4", `{"action": "drop", "detection_time": "200", "restoration_time": "200"}`))
	require.Contains(t, b.ok("pfcwd start Ethernet8 300"), "restoration time not defined; default to 2 times detection time: 600 ms")
	require.Contains(t, b.ok("pfcwd show config"), "Changed polling interval to 200ms\n     PORT    ACTION    DETECTION TIME    RESTORATION")
	require.Contains(t, b.ok("pfcwd show stats -e"), "Ethernet0:3")
	b.d.SetCounter("Ethernet0", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED:3", 1)
	require.Contains(t, b.ok("show pfcwd stats"), "\nEthernet0:3   stormed  ")
	require.Contains(t, b.bad(1, "pfcwd interval 250"), "polling interval = 250ms, value is bigger than one of the configured detection time")
	require.Contains(t, b.bad(1, "pfcwd start --action drop Ethernet99 200"), "Failed to run command, invalid options:\nEthernet99\n")
	require.Contains(t, b.bad(2, "pfcwd start --action drop Ethernet0 50"), "50 is not in the valid range of 100 to 5000")
	require.Contains(t, b.bad(2, "pfcwd start --action frob Ethernet0 200"), "invalid choice: frob")
	require.Contains(t, b.bad(2, "pfcwd start"), "Missing argument")
	require.Contains(t, b.bad(2, "pfcwd frob"), "No such command")
	require.Contains(t, b.refuse(remove("/PFC_WD/GLOBAL")), "remove is illegal on field: /PFC_WD/GLOBAL")
	b.patch(remove("/PFC_WD/Ethernet4"))
	b.ok("pfcwd stop Ethernet0")
	require.Nil(t, b.Row("PFC_WD", "Ethernet0"))
	b.Put("PORT_QOS_MAP", "Ethernet12", map[string]string{"dscp_to_tc_map": "AZURE"})
	require.Contains(t, b.ok("pfcwd start --action drop all 200"), "SKIPPED: PFC is not enabled on port: Ethernet12")
	require.NotNil(t, b.Row("PFC_WD", "Ethernet0"))
	later := boot(t, sim.Box{Release: "202511", QoS: sim.Template})
	later.ok("pfcwd start --action drop Ethernet0 1500 --restoration-time 1500")
	require.Equal(t, "disable", later.Row("PFC_WD", "Ethernet0")["pfc_stat_history"])
	require.Contains(t, later.bad(2, "pfcwd interval 1200"), "Invalid value for 'POLL_INTERVAL': 1200 is not in the range 100<=x<=1000.")
	require.Contains(t, later.bad(2, "pfcwd interval x"), "Invalid value for 'POLL_INTERVAL': 'x' is not a valid integer range.")
	require.Contains(t, b.bad(2, "pfcwd interval x"), "Invalid value for \"POLL_INTERVAL\": x is not a valid integer\n")
	says := "Invalid value for '--action' / '-a': 'frob' is not one of 'drop', 'forward', 'alert'."
	require.Contains(t, later.bad(2, "pfcwd start -a frob Ethernet0 200"), says)
	require.Contains(t, later.bad(2, "pfcwd start -a"), "Option '-a' requires an argument.")
	require.Contains(t, later.bad(2, "pfcwd frob"), "No such command 'frob'.")
}

// TestECN: ecnconfig changes and checks settings that no patch may change.
func TestECN(t *testing.T) {
	b := boot(t, sim.Box{Release: "202205", QoS: sim.Template})
	b.ok("ecnconfig -p AZURE_LOSSLESS -gmin 150000 -gmax 1500000 -gdrop 100")
	require.Equal(t, "150000", b.Row("WRED_PROFILE", "AZURE_LOSSLESS")["green_min_threshold"])
	require.Equal(t, "1048576", b.Row("WRED_PROFILE", "AZURE_LOSSLESS")["yellow_min_threshold"])
	require.Contains(t, b.ok("ecnconfig -l"), "Profile: AZURE_LOSSLESS\n")
	require.Contains(t, b.ok("ecnconfig -l"), "green_min_threshold      150000\n")
	b.ok("ecnconfig -p AZURE_LOSSLESS --yellow-min 1")
	for cmd, says := range map[string]string{
		"ecnconfig -p NONE -gmin 1":                  "Exception caught:  Input arguments error. Invalid WRED profile NONE\n",
		"ecnconfig -p AZURE_LOSSLESS -gmin 15000000": "Invalid gmin (15000000) and gmax (1500000). gmin should be smaller than gmax\n",
		"ecnconfig -p AZURE_LOSSLESS -gmin x":        "Invalid gmin (x). gmin should be an non-negative integer.\n",
		"ecnconfig -p AZURE_LOSSLESS -gdrop 101":     "Invalid gdrop (101). gdrop should be an integer between 0 and 100.\n",
		"ecnconfig -p AZURE_LOSSLESS":                "Specify at least one threshold parameter to set",
		"ecnconfig":                                  "usage: ecnconfig",
	} {
		require.Contains(t, b.bad(1, cmd), says)
	}
	require.Contains(t, b.bad(2, "ecnconfig -p AZURE_LOSSLESS -n asic0"), "unrecognized arguments")
	later := boot(t, sim.Box{Release: "202405", QoS: sim.Template})
	require.Contains(t, later.bad(1, "ecnconfig -p AZURE_LOSSLESS -n asic0 -gmin 1"), "Invalid WRED profile")
}

// TestShow: the counters are those that the machine has for an interface.
func TestShow(t *testing.T) {
	b := boot(t, sim.Box{Release: "202505", QoS: sim.Template})
	b.d.SetCounter("Ethernet4", "SAI_PORT_STAT_PFC_3_RX_PKTS", 1234567)
	b.d.SetCounter("Ethernet4", "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS:3", 7)
	b.d.SetCounter("Ethernet4", "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES:3", 4096)
	b.d.SetCounter("Ethernet4", "SAI_QUEUE_STAT_PACKETS:3", 99)
	out := b.ok("show pfc counters")
	require.Contains(t, out, "  Port Rx    PFC0    PFC1    PFC2       PFC3")
	require.Contains(t, out, "Ethernet4       0       0       0  1,234,567")
	require.Contains(t, b.ok("show priority-group drop counters"), "Ingress PG dropped packets:\n      Port    PG0    PG1    PG2    PG3")
	require.Contains(t, b.ok("show priority-group watermark headroom"), "4096")
	oid := strings.TrimSpace(b.ok("sonic-db-cli COUNTERS_DB HGET COUNTERS_PG_NAME_MAP Ethernet4:3"))
	require.Equal(t, "7\n", b.ok("sonic-db-cli COUNTERS_DB HGET COUNTERS:"+oid+" SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"))
	mark := "sonic-db-cli COUNTERS_DB HGET USER_WATERMARKS:" + oid + " SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"
	require.Equal(t, "4096\n", b.ok(mark))
	var queues map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.ok("show queue counters Ethernet4 --json")), &queues))
	require.Equal(t, map[string]any{"totalpacket": "99", "totalbytes": "0", "droppacket": "0", "dropbytes": "0"}, queues["Ethernet4"]["UC3"])
	require.Len(t, queues, 1)
	require.Contains(t, b.ok("show queue counters --nonzero"), "UC3")
	require.NotContains(t, b.ok("show queue counters --nonzero"), "UC4")
	queue := strings.TrimSpace(b.ok("sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet4:3"))
	marked := "sonic-db-cli COUNTERS_DB HGET COUNTERS:" + queue + " SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"
	require.Equal(t, "\n", b.ok(marked), "the counters are not enabled")
	b.ok("sonic-db-cli CONFIG_DB HSET 'FLEX_COUNTER_TABLE|WRED_ECN_QUEUE' FLEX_COUNTER_STATUS enable")
	require.Equal(t, "0\n", b.ok(marked))
	b.d.SetLink("Ethernet4", false)
	require.Contains(t, b.ok("show version"), "\nSONiC Software Version: SONiC.202505.12-1a2b3c4d5\n")
	require.Contains(t, b.ok("show buffer configuration"), "Profile: pg_lossless_100000_5m_profile\n")
	require.Contains(t, b.ok("show buffer information"), "xoff        30720\n")
	require.Contains(t, b.ok("show interfaces status"), "etp2")
	require.Contains(t, b.ok("show runningconfiguration all"), `"BUFFER_PG": {`)
	require.Contains(t, b.bad(2, "show pfc counters --json"), "no such option")
	var marks []map[string]string
	later := boot(t, sim.Box{Release: "202511"})
	require.NoError(t, json.Unmarshal([]byte(later.ok("show priority-group watermark headroom --json")), &marks))
	require.Equal(t, "Ethernet4", marks[1]["Port"])
	require.Equal(t, "0", marks[1]["PG3"])
	require.Contains(t, b.bad(2, "show priority-group watermark headroom --json"), "no such option")
}

// TestFaults: failures in the middle of a change.
func TestFaults(t *testing.T) {
	two := `[{"op": "add", "path": "/SCHEDULER/a", "value": {"type": "STRICT"}},
		{"op": "add", "path": "/SCHEDULER/b", "value": {"type": "STRICT"}}]`
	b := boot(t, sim.Box{QoS: sim.Template})
	b.Do(func() { b.Faults.Halfway = 1 })
	b.file(two)
	require.Contains(t, b.bad(2, "config apply-patch /tmp/patch.json"), "- localhost: Redis connection lost")
	require.NotNil(t, b.Row("SCHEDULER", "a"))
	require.Nil(t, b.Row("SCHEDULER", "b"))
	b.ok("config apply-patch /tmp/patch.json")
	require.NotNil(t, b.Row("SCHEDULER", "b"))

	b = boot(t, sim.Box{QoS: sim.Template})
	b.Do(func() { b.Faults.Killed = 1 })
	b.file(two)
	require.Empty(t, strings.TrimSpace(b.bad(137, "config apply-patch /tmp/patch.json")))
	require.NotNil(t, b.Row("SCHEDULER", "a"))
	require.Nil(t, b.Row("SCHEDULER", "b"))

	b = boot(t, sim.Box{QoS: sim.Template})
	b.Do(func() { b.Faults.Rewrites = "CRM|Config" })
	b.file(two)
	require.Contains(t, b.bad(2, "config apply-patch /tmp/patch.json"), "there are still some parts not updated")
	require.NotNil(t, b.Row("SCHEDULER", "b"), "all operations are done")

	b.Do(func() { b.Faults.Garbage = "Traceback (most recent call last):\n" })
	require.Equal(t, "Traceback (most recent call last):\n", b.ok("sonic-cfggen -d --print-data"))
	require.Equal(t, "ACS-MSN2700\n", b.ok("sonic-cfggen -d -v DEVICE_METADATA.localhost.hwsku"))

	b = boot(t, sim.Box{QoS: sim.Template})
	b.Do(func() { b.Faults.Short = 1024 })
	b.ok("systemctl restart swss")
	require.Equal(t, "29696", b.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile")["xoff"])
	require.Equal(t, "30720", b.Row("BUFFER_PROFILE", "pg_lossless_100000_5m_profile")["xoff"])

	b = boot(t, sim.Box{QoS: sim.Template})
	for after, there := range map[bool]bool{false: false, true: true} {
		hang := "#!/bin/sh\nsleep 1000000\n" // before config has done anything, or after it has done everything
		if after {
			hang = "#!/bin/sh\n/usr/lib/sonic/config \"$@\"\nsleep 1000000\n"
		}
		b.d.WriteFile(sim.ConfigPath, []byte(hang), 0o755)
		b.file(add("/SCHEDULER/x", `{"type": "STRICT"}`))
		status, _, _ := b.as("root", "timeout 60 config apply-patch /tmp/patch.json")
		require.Equal(t, 124, status)
		require.Equal(t, there, b.Row("SCHEDULER", "x") != nil)
		b.Put("SCHEDULER", "x", nil)
	}
}

// TestKept: after a lab is closed and opened again, the switch has its running state, and buffermgrd handles the remaining events.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	open := func() (*lab.Lab, *box) {
		image := func(*ir.Device) target.Image {
			return sim.New(usual(sim.Box{QoS: sim.Template, Lag: 5 * time.Second})).Image()
		}
		tree := &target.Tree{Devices: []*target.Device{
			{Name: "leaf01", Role: target.Switch, Target: &target.Target{User: "admin", Image: image}},
		}}
		l, err := lab.Open(dir, tree, "a test")
		require.NoError(t, err)
		d := l.Device("leaf01")
		return l, &box{t, d, targettest.Sim[*sim.Switch](d.Sims())}
	}
	l, b := open()
	b.ok("config checkpoint before")
	b.patch(replace("/PORT_QOS_MAP/Ethernet0/pfc_enable", `"3,4,6"`))
	require.NoError(t, l.Close())
	l, b = open()
	defer l.Close()
	require.Equal(t, "3,4,6", b.Row("PORT_QOS_MAP", "Ethernet0")["pfc_enable"], "the configuration was not saved, and the switch kept running")
	require.Equal(t, "[\n    \"before\"\n]\n", b.ok("config list-checkpoints"))
	require.Nil(t, b.Row("BUFFER_PG", "Ethernet0|6"))
	b.d.Pass(10 * time.Second)
	require.Eventually(t, func() bool { return b.Row("BUFFER_PG", "Ethernet0|6") != nil }, 10*time.Minute, time.Millisecond)
	b.d.Reboot()
	require.Equal(t, "3,4", b.Row("PORT_QOS_MAP", "Ethernet0")["pfc_enable"])
}

// TestLag: buffermgrd handles a change some time later.
func TestLag(t *testing.T) {
	b := boot(t, sim.Box{QoS: sim.Template, Lag: 5 * time.Second})
	b.d.Pass(10 * time.Second)
	require.Eventually(t, func() bool { return b.Row("BUFFER_PG", "Ethernet0|3-4") != nil }, 10*time.Minute, time.Millisecond)
	b.patch(replace("/PORT_QOS_MAP/Ethernet0/pfc_enable", `"3,4,6"`))
	require.Nil(t, b.Row("BUFFER_PG", "Ethernet0|6"), "config has ended, and the group is not there yet")
	b.d.Pass(10 * time.Second)
	require.Eventually(t, func() bool { return b.Row("BUFFER_PG", "Ethernet0|6") != nil }, 10*time.Minute, time.Millisecond)
}
