package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic/sim"
)

// TestPatches: the result of a patch before any change.
func TestPatches(t *testing.T) {
	old, now := boot(t, sim.Box{Release: "202311", QoS: sim.Template}), boot(t, sim.Box{Release: "202405", QoS: sim.Template})
	for _, c := range []struct{ patch, old, now string }{
		{"{", "Failed to apply patch\nUsage: config apply-patch [OPTIONS] PATCH_FILE_PATH", "Failed to apply patch due to: Expecting value"},
		{"", "Error: Expecting value: line 1 column 1 (char 0)\n", "due to: Expecting value: line 1 column 1 (char 0)\n"},
		{"[] []", "Extra data", "Extra data"},
		{`{"a": 1}`, "Document is expected to be sequence", "Document is expected to be sequence"},
		{`["a"]`, "Document is expected to be sequence", "Document is expected to be sequence"},
		{`[{"path": "/a"}]`, "does not contain 'op'", "does not contain 'op'"},
		{`[{"op": "frob", "path": "/a"}]`, "Unknown operation 'frob'", "Unknown operation 'frob'"},
		{`[{"op": "add", "value": 1}]`, "must have a 'path'", "must have a 'path'"},
		{`[{"op": "add", "path": "/a"}]`, "does not contain a 'value'", "does not contain a 'value'"},
		{`[{"op": "move", "path": "/a"}]`, "does not contain a 'from'", "does not contain a 'from'"},
		{`[{"op": "add", "path": "a", "value": {}}]`, "Location must start with /", "Location must start with /"},
		{
			remove("/SCHEDULER/none"), "Error: can't remove a non-existent object 'none'\n",
			`Validate json patch: [{"op": "remove", "path": "/SCHEDULER/none"}] failed due to:can't remove a non-existent object 'none'`,
		},
		{replace("/SCHEDULER/none", "{}"), "can't replace a non-existent object 'none'", "can't replace a non-existent"},
		{add("/NTP/a", `{}`), "member 'NTP' not found in", "member 'NTP' not found in"},
		{
			add("/TABLE", `{"a": {"b": "c"}}`), "Given patch is not valid because it has changes to tables without YANG models",
			"Failed to apply patch on the following scopes:\n- localhost: Given patch is not valid because it has changes to tables without YANG",
		},
		{add("/NTP", `{}`), "Given patch is not valid because it will result in empty tables which", "will result in empty tables"},
		{`[{"op": "remove", "path": "/CRM/Config"}]`, "in ConfigDb. Table: CRM\n", "Table: CRM\n"},
		{
			replace("/PORT_QOS_MAP/Ethernet0/dscp_to_tc_map", `"NONE"`),
			"Given patch will produce invalid config. Error: Data Loading Failed:Leafref",
			"Failed validating patch:[{\"op\": \"replace\", \"path\": \"/PORT_QOS_MAP/Ethernet0/dscp_to_tc_map\", \"value\": \"NONE\"}]",
		},
		{add("", `{}`), "", ""},
	} {
		require.Contains(t, old.refuse(c.patch), c.old, c.patch)
		require.Contains(t, now.refuse(c.patch), c.now, c.patch)
	}
	for _, b := range []*box{old, now} {
		b.file(add("/TABLE", `{"a": {"b": "c"}}`))
		b.ok("config apply-patch -n /tmp/patch.json")
		require.Equal(t, "c", b.Row("TABLE", "a")["b"])
		b.file(add("/SCHEDULER/x", `{"type": "STRICT"}`))
		out := b.ok("config apply-patch -d -v /tmp/patch.json")
		require.Contains(t, out, "** DRY RUN EXECUTION **\n")
		require.Contains(t, out, `Would apply [{"op": "add", "path": "/SCHEDULER/x", "value": {"type": "STRICT"}}]`)
		require.Nil(t, b.Row("SCHEDULER", "x"))
		b.patch(`[{"op": "test", "path": "/CRM/Config/polling_interval", "value": "300"},
			{"op": "copy", "from": "/SCHEDULER/scheduler.0", "path": "/SCHEDULER/y"}]`)
		require.Equal(t, "14", b.Row("SCHEDULER", "y")["weight"])
		require.Contains(t, b.refuse(`[{"op": "test", "path": "/CRM/Config/polling_interval", "value": "3"}]`), "is not equal to tested value")
		require.Contains(t, b.patch(remove("/SCHEDULER/y")), "Patch applied successfully.\n")
		b.file("[" + strings.Repeat("[", 100_000))
		require.Contains(t, b.bad(2, "config apply-patch /tmp/patch.json"), "maximum recursion depth exceeded")
	}
	require.Contains(t, old.patch("[]"), "Patch Applier: The patch was sorted into 0 changes.\n")
	require.Contains(t, now.patch("[]"), "Patch Applier: The localhost patch was converted into 0 changes.\n")
	latest := boot(t, sim.Box{Release: "202605"})
	says := "Validate json patch: [{'op': 'add', 'path': '/SCHEDULER', 'value': {}}, {'op': 'remove'"
	require.Contains(t, latest.refuse(remove("/SCHEDULER/none")), says)
}

// TestNumbers: values are text. A number is written as text, and the comparison then reports a difference.
func TestNumbers(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template})
		b.file(replace("/SCHEDULER/scheduler.0/weight", "20"))
		require.Contains(t, b.bad(2, "config apply-patch /tmp/patch.json"), "there are still some parts not updated")
		require.Equal(t, "20", b.Row("SCHEDULER", "scheduler.0")["weight"], "the change is made in spite of this")
	}
	b := boot(t, sim.Box{Release: "202511", QoS: sim.Template})
	b.patch(add("/BUFFER_PROFILE/mine", `{"pool": "ingress_lossless_pool", "size": 1000, "dynamic_th": 0}`))
	require.Equal(t, "1000", b.Row("BUFFER_PROFILE", "mine")["size"], "that table is not compared")
}

// TestMissingTable: from 202511 on a missing table is added.
func TestMissingTable(t *testing.T) {
	patch := add("/PFC_WD/Ethernet0", `{"action": "drop", "detection_time": "200", "restoration_time": "200"}`)
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template})
		if release < "202511" {
			require.Contains(t, b.refuse(patch), "member 'PFC_WD' not found")
			continue
		}
		// The difference is a new table with the port as its field, and no allow-list has ports as fields.
		require.Contains(t, b.refuse(patch), "Modification of PFC_WD table is illegal")
		b.patch(add("/TC_TO_DSCP_MAP/AZURE", `{"3": "26"}`))
	}
}

// TestMoves: a value that is removed at one place and added at another is a move, which the allow-list refuses.
func TestMoves(t *testing.T) {
	b := boot(t, sim.Box{Release: "202405", QoS: sim.Template})
	b.ok("pfcwd interval 200")
	b.ok("pfcwd start --action drop Ethernet0 200 --restoration-time 200")
	row := `{"action": "drop", "detection_time": "200", "restoration_time": "200"}`
	both := fmt.Sprintf(`[{"op": "remove", "path": "/PFC_WD/Ethernet0"}, {"op": "add", "path": "/PFC_WD/Ethernet4", "value": %s}]`, row)
	require.Contains(t, b.refuse(both), "Modification of PFC_WD table is illegal")
	b.patch(remove("/PFC_WD/Ethernet0"))
	b.patch(add("/PFC_WD/Ethernet4", row))
	b.patch(`[{"op": "remove", "path": "/QUEUE/Ethernet0|0"},
		{"op": "add", "path": "/QUEUE/Ethernet0|7", "value": {"scheduler": "scheduler.0"}}]`)
	require.Equal(t, "scheduler.0", b.Row("QUEUE", "Ethernet0|7")["scheduler"], "a move is allowed in tables without entries")
	l := boot(t, sim.Box{Release: "202511", QoS: sim.Template})
	l.patch(add("/BUFFER_PROFILE/a", `{"pool": "ingress_lossless_pool", "size": "7"}`))
	moved := `[{"op": "move", "from": "/BUFFER_PROFILE/a", "path": "/BUFFER_PROFILE/b"}]`
	require.Contains(t, l.refuse(moved), "BUFFER_PROFILE table is illegal")
}

// TestAllowList: verdicts by release, chip and date of the build, through all of config.
func TestAllowList(t *testing.T) {
	wred := func(field string) string { return replace("/WRED_PROFILE/AZURE_LOSSLESS/"+field, `"99"`) }
	const (
		lossless = "/BUFFER_PROFILE/pg_lossless_100000_5m_profile"
		profile  = `{"pool": "ingress_lossless_pool", "size": "1", "dynamic_th": "0"}`
	)
	all := func(from, until string) (out []string) {
		for _, r := range sim.Releases() {
			if r >= from && r <= until {
				out = append(out, r)
			}
		}
		return out
	}
	for _, c := range []struct {
		what, patch string
		taken       []string // on an SN2700, by a build without a date
	}{
		{"green of AZURE_LOSSLESS", wred("green_drop_probability"), all("202205", "202605")},
		{"yellow", wred("yellow_drop_probability"), all("202511", "202605")},
		{"a missing field", add("/WRED_PROFILE/AZURE_LOSSLESS/ecn", `"ecn_all"`), all("202205", "202605")}, // it exists, with the same value
		{"a new WRED profile", add("/WRED_PROFILE/MINE", `{"ecn": "ecn_all"}`), all("202511", "202605")},
		{"dynamic_th of a name with digits", replace(lossless+"/dynamic_th", `"1"`), all("202205", "202605")},
		{"dynamic_th of a name without digits", replace("/BUFFER_PROFILE/egress_lossy_profile/dynamic_th", `"1"`), all("202511", "202605")},
		{"xoff", replace(lossless+"/xoff", `"99999"`), all("202205", "202605")},
		{"xon", replace(lossless+"/xon", `"99999"`), nil},
		{"size", replace(lossless+"/size", `"99999"`), nil},
		{"an object of fields that may be replaced", add("/BUFFER_PROFILE/mine1", profile), all("202511", "202605")},
		{"an object away", remove("/BUFFER_PROFILE/ingress_lossless_profile1"), all("202511", "202605")},
		{"pool size", replace("/BUFFER_POOL/ingress_lossless_pool/size", `"10000000"`), all("202205", "202505")},
		{"missing shared headroom", add("/BUFFER_POOL/ingress_lossless_pool/xoff", `"1"`), nil},
		{"another pool's size", replace("/BUFFER_POOL/egress_lossless_pool/size", `"1"`), nil},
		{"a pool's mode", replace("/BUFFER_POOL/egress_lossy_pool/mode", `"static"`), nil},
		{"watchdog of a port", replace("/PFC_WD/Ethernet0/action", `"alert"`), all("202205", "202605")},
		{"poll interval", replace("/PFC_WD/GLOBAL/POLL_INTERVAL", `"100"`), all("202205", "202605")},
		{"the table away", remove("/PFC_WD"), all("202205", "202605")},
		{"speed", replace("/PORT/Ethernet12/speed", `"40000"`), all("202205", "202605")},
		{"odd speed", replace("/PORT/Ethernet12/speed", `"12345"`), all("202205", "202205")},
		{"odd fec", add("/PORT/Ethernet12/fec", `"auto"`), all("202311", "202605")}, // YANG has no auto in earlier releases
		{"map", replace("/DSCP_TO_TC_MAP/AZURE/26", `"3"`), all("202205", "202605")},
		{"cable", replace("/CABLE_LENGTH/AZURE/Ethernet0", `"40m"`), all("202205", "202605")},
		{"group", add("/BUFFER_PG/Ethernet0|6", `{"profile": "ingress_lossy_profile"}`), all("202205", "202605")},
	} {
		for _, release := range sim.Releases() {
			b := boot(t, sim.Box{Release: release, QoS: sim.Template})
			b.ok("pfcwd interval 200")
			b.ok("pfcwd start --action drop Ethernet0 200 --restoration-time 200")
			b.Put("BUFFER_PROFILE", "ingress_lossless_profile1", b.Row("BUFFER_PROFILE", "ingress_lossless_profile"))
			b.file(c.patch)
			status, out, errs := b.as("root", "config apply-patch /tmp/patch.json")
			want := 2
			for _, r := range c.taken {
				if r == release {
					want = 0
				}
			}
			require.Equal(t, want, status, "%s on %s\n%s%s", c.what, release, out, errs)
		}
	}
}

// TestChips: the allow-list identifies chips by hardware names, and checks the date of the build.
func TestChips(t *testing.T) {
	threshold := replace("/BUFFER_PROFILE/pg_lossless_100000_5m_profile/dynamic_th", `"1"`)
	xoff := replace("/BUFFER_PROFILE/pg_lossless_100000_5m_profile/xoff", `"99999"`)
	for _, c := range []struct {
		release, asic, hwsku, build, patch string
		taken                              bool
	}{
		{"202205", "mellanox", "ACS-MSN3700", "", threshold, false},
		{"202305", "mellanox", "ACS-MSN3700", "", threshold, true},
		{"202305", "mellanox", "acs-msn3700", "", threshold, true},
		{"202305", "mellanox", "ACS-MSN3700X", "", threshold, false},
		{"202411", "mellanox", "ACS-SN5640", "", threshold, false},
		{"202505", "mellanox", "ACS-SN5640", "", threshold, true},
		{"202505", "mellanox", "ACS-SN5640", "20241110.1", threshold, false},
		{"202505", "mellanox", "ACS-SN5640", "20250510.1", threshold, true},
		{"202505", "mellanox", "ACS-SN5640", "SONiC.202505.1-2", threshold, true},
		{"202605", "mellanox", "ACS-SN6600_LD", "", threshold, false},
		{"202205", "broadcom", "Force10-S6000", "", threshold, true},
		{"202205", "broadcom", "Force10-S6000", "", xoff, false},
		{"202205", "broadcom", "Force10-S6100", "", xoff, true},
		{"202205", "broadcom", "Force10-S6100", "20220531.1", xoff, false},
		{"202205", "broadcom", "My-Force10-S6100-X", "", xoff, true},
		{"202311", "broadcom", "Nokia-IXR7220-H4-64D", "", xoff, false},
		{"202405", "broadcom", "Nokia-IXR7220-H4-64D", "", xoff, true},
		{"202405", "broadcom", "DellEMC-Z9664f-O64", "", xoff, false},
		{"202511", "broadcom", "Arista-7260CX3-Q44", "", xoff, true},
		{"202605", "broadcom", "Arista-7260CX3-Q44", "", xoff, false},
		{"202511", "broadcom", "Arista-7808R3A-FM", "", threshold, false},
		{"202205", "cisco-8000", "any", "", threshold, false},
		{"202305", "cisco-8000", "any", "", threshold, true},
		{"202505", "marvell-teralynx", "any", "", threshold, false},
		{"202511", "marvell-teralynx", "any", "", threshold, true},
		{"202511", "marvell-teralynx", "any", "", xoff, false},
		{"202505", "vs", "Force10-S6000", "", threshold, true},
		{"202505", "vs", "ACS-MSN2700", "", threshold, true},
		{"202505", "barefoot", "newport", "", threshold, false},
	} {
		b := boot(t, sim.Box{Release: c.release, ASIC: c.asic, HwSKU: c.hwsku, Platform: "p", Build: c.build, QoS: sim.Template})
		b.file(c.patch)
		status, out, errs := b.as("root", "config apply-patch /tmp/patch.json")
		require.Equal(t, map[bool]int{true: 0, false: 2}[c.taken], status, "%+v\n%s%s", c, out, errs)
		if !c.taken {
			require.Contains(t, errs, "Modification of BUFFER_PROFILE table is illegal- validating function generic_config_updater.")
		}
	}
}

// TestRollback: rollback tries to remove the rows that buffermgrd has made since.
func TestRollback(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template})
		b.ok("config checkpoint before")
		require.Equal(t, "[\n    \"before\"\n]\n", b.ok("config list-checkpoints"))
		b.patch(`[{"op": "replace", "path": "/CABLE_LENGTH/AZURE/Ethernet0", "value": "40m"},
			{"op": "replace", "path": "/PORT_QOS_MAP/Ethernet0/pfc_enable", "value": "3,4,6"}]`)
		require.Equal(t, "pg_lossless_100000_40m_profile", b.Row("BUFFER_PG", "Ethernet0|3-4")["profile"])
		if release < "202511" {
			require.Contains(t, b.bad(2, "config rollback before"), "Modification of BUFFER_PROFILE table is illegal")
			require.Equal(t, "40m", b.Row("CABLE_LENGTH", "AZURE")["Ethernet0"], "nothing was undone")
			continue
		}
		b.ok("config rollback before")
		require.Equal(t, "5m", b.Row("CABLE_LENGTH", "AZURE")["Ethernet0"])
		b.ok("config delete-checkpoint before")
		require.Equal(t, "[]\n", b.ok("config list-checkpoints"))
	}
}

// TestSeveralChips: paths need the name of the chip.
func TestSeveralChips(t *testing.T) {
	for _, release := range []string{"202311", "202405", "202411", "202605"} {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template, Chips: 2})
		require.NotContains(t, b.ok("sonic-cfggen -d --print-data"), "PORT_QOS_MAP")
		require.Contains(t, b.ok("sonic-cfggen -d --print-data -n asic1"), `"Ethernet4|3-4"`)
		require.Equal(t, "'profile': 'pg_lossless_100000_5m_profile'", strings.Trim(
			b.ok("sonic-db-cli -n asic1 CONFIG_DB HGETALL 'BUFFER_PG|Ethernet4|3-4'"), "{}\n"))
		conf, err := b.d.ReadFile("/usr/share/sonic/device/x86_64-mlnx_msn2700-r0/asic.conf")
		require.NoError(t, err)
		require.Equal(t, "NUM_ASIC=2\n", string(conf))
		plain := add("/CRM/Config/polling_interval", `"200"`)
		switch {
		case release < "202405":
			b.patch(plain)
			continue
		case release < "202411":
			require.Contains(t, b.refuse(plain), "Validate json patch")
		default:
			require.Contains(t, b.refuse(plain), "Validate json patch")
			require.Contains(t, b.refuse(add("/localhostile", "{}")), "Multi ASIC must have namespace prefix in path: '/localhostile'")
		}
		require.Contains(t, b.refuse(add("/asicX", "{}")), "due to incorrect ASIC number")
		b.patch(`[{"op": "replace", "path": "/asic1/DSCP_TO_TC_MAP/AZURE/26", "value": "3"}]`)
		require.Equal(t, "3\n", b.ok("sonic-db-cli -n asic1 CONFIG_DB HGET 'DSCP_TO_TC_MAP|AZURE' 26"))
		require.Equal(t, "1\n", b.ok("sonic-db-cli -n asic0 CONFIG_DB HGET 'DSCP_TO_TC_MAP|AZURE' 26"))
		b.ok("config save -y")
		text, err := b.d.ReadFile("/etc/sonic/config_db1.json")
		require.NoError(t, err)
		require.Contains(t, string(text), `"26": "3"`)
		b.d.Reboot()
		require.Equal(t, "3\n", b.ok("sonic-db-cli -n asic1 CONFIG_DB HGET 'DSCP_TO_TC_MAP|AZURE' 26"))
		require.Contains(t, b.bad(2, "config replace /etc/sonic/config_db.json"), "To be replace config is missing scope")
	}
}
