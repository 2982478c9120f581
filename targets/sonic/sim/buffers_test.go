package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic/sim"
)

// TestCable: whether a change of the cable length alone has an effect depends on the release.
func TestCable(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template})
		b.patch(replace("/CABLE_LENGTH/AZURE/Ethernet0", `"40m"`))
		want := "pg_lossless_100000_5m_profile"
		if release >= "202511" {
			want = "pg_lossless_100000_40m_profile"
		}
		require.Equal(t, want, b.Row("BUFFER_PG", "Ethernet0|3-4")["profile"], release)
		b.patch(replace("/PORT/Ethernet0/mtu", `"9000"`))
		require.Equal(t, "pg_lossless_100000_40m_profile", b.Row("BUFFER_PG", "Ethernet0|3-4")["profile"], "effective at the next event")
		require.Equal(t, "58368", b.Row("BUFFER_PROFILE", "pg_lossless_100000_40m_profile")["size"])
		require.NotNil(t, b.Row("BUFFER_PROFILE", "pg_lossless_100000_5m_profile"))
	}
}

// TestLookup: a length that the file lacks leaves the port unchanged, with a line in the log and status 0.
func TestLookup(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template, Cable: "7m"})
		require.Nil(t, b.Row("BUFFER_PG", "Ethernet0|3-4"), "silently lossy")
		require.Len(t, b.log("for port Ethernet0. No PG profile configured for speed 100000 and cable length 7m"), 1)
		b.patch(`[{"op": "replace", "path": "/CABLE_LENGTH/AZURE/Ethernet0", "value": "40m"},
			{"op": "replace", "path": "/PORT_QOS_MAP/Ethernet0/pfc_enable", "value": "3"}]`)
		require.Equal(t, "pg_lossless_100000_40m_profile", b.Row("BUFFER_PG", "Ethernet0|3")["profile"])
		none := boot(t, sim.Box{Release: release, QoS: sim.Template, Lookup: sim.NoLookup})
		require.Nil(t, none.Row("BUFFER_PG", "Ethernet0|3-4"))
		zero := boot(t, sim.Box{Release: release, QoS: sim.Template, Cable: "0m"})
		require.Nil(t, zero.Row("BUFFER_PG", "Ethernet0|3-4"))
	}
}

// TestGroups: adjacent priorities share a row, and no group is removed when pfc_enable shrinks.
func TestGroups(t *testing.T) {
	b := boot(t, sim.Box{QoS: sim.Template})
	b.patch(replace("/PORT_QOS_MAP/Ethernet0/pfc_enable", `"2,3,4,6"`))
	profile := map[string]string{"profile": "pg_lossless_100000_5m_profile"}
	require.Equal(t, profile, b.Row("BUFFER_PG", "Ethernet0|2-4"))
	require.Equal(t, profile, b.Row("BUFFER_PG", "Ethernet0|6"))
	require.Equal(t, profile, b.Row("BUFFER_PG", "Ethernet0|3-4"), "the group is stale, and SONiC does not remove it")
	b.patch(replace("/PORT_QOS_MAP/Ethernet0/pfc_enable", `""`))
	require.Equal(t, profile, b.Row("BUFFER_PG", "Ethernet0|2-4"), "the group stays even when PFC is off")
	b.patch(`[{"op": "remove", "path": "/BUFFER_PG/Ethernet0|2-4"}, {"op": "remove", "path": "/BUFFER_PG/Ethernet0|6"}]`)
	require.Nil(t, b.Applied("BUFFER_PG_TABLE:Ethernet0:2-4"))
	old := boot(t, sim.Box{Release: "202411", QoS: sim.Template})
	said := old.refuse(replace("/PORT_QOS_MAP/Ethernet0/pfc_enable", `""`))
	require.Contains(t, said, "Failed validating patch", "pfc_enable may be empty only from 202505 on")
	b.patch(replace("/BUFFER_PG/Ethernet4|3-4/profile", `"ingress_lossy_profile"`))
	require.Equal(t, profile, b.Row("BUFFER_PG", "Ethernet4|3-4"), "a patch takes the port down and up, which is an event")
	b.Put("BUFFER_PG", "Ethernet4|3-4", map[string]string{"profile": "ingress_lossy_profile"})
	require.Equal(t, "ingress_lossy_profile", b.Row("BUFFER_PG", "Ethernet4|3-4")["profile"])
	b.patch(replace("/PORT/Ethernet4/mtu", `"9000"`))
	require.Equal(t, profile, b.Row("BUFFER_PG", "Ethernet4|3-4"), "the next event of the port overwrites settings of others")
}

// TestSameAgain: if the row of a port is removed and returns with the same content, only 202605 handles it again.
func TestSameAgain(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template})
		row := b.Row("PORT_QOS_MAP", "Ethernet0")
		b.Put("PORT_QOS_MAP", "Ethernet0", nil)
		b.Put("BUFFER_PG", "Ethernet0|3-4", nil)
		b.Put("PORT_QOS_MAP", "Ethernet0", row)
		require.Equal(t, release >= "202605", b.Row("BUFFER_PG", "Ethernet0|3-4") != nil, release)
	}
}

// TestAdmin: ports that are down, and ports without admin_status.
func TestAdmin(t *testing.T) {
	ps := ports()
	ps[0].Unset, ps[1].Down = true, true
	for _, release := range sim.Releases() {
		for _, asic := range []string{"mellanox", "broadcom"} {
			b := boot(t, sim.Box{Release: release, QoS: sim.Template, ASIC: asic, Ports: ps})
			has := func(port string) bool { return b.Row("BUFFER_PG", port+"|3-4") != nil }
			require.Equal(t, asic == "broadcom" && release >= "202511", has("Ethernet0"), "%s %s", release, asic)
			require.Equal(t, asic == "broadcom", has("Ethernet4"))
			require.True(t, has("Ethernet8"))
			b.ok("config interface startup Ethernet0,Ethernet4")
			require.True(t, has("Ethernet0"))
			require.True(t, has("Ethernet4"))
			b.ok("config interface shutdown Ethernet4")
			require.Equal(t, asic == "broadcom", has("Ethernet4"))
		}
	}
	b := boot(t, sim.Box{QoS: sim.Template, Model: sim.Dynamic, Ports: ps})
	require.NotNil(t, b.Row("BUFFER_PG", "Ethernet0|3-4"))
	require.Nil(t, b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4"))
	require.Nil(t, b.Applied("BUFFER_PG_TABLE:Ethernet4:3-4"))
	require.NotNil(t, b.Applied("BUFFER_PG_TABLE:Ethernet8:3-4"))
}

// TestFromNothing: a switch without QoS gets its groups when all inputs of a port are there.
func TestFromNothing(t *testing.T) {
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release})
		b.patch(`[{"op": "add", "path": "/CABLE_LENGTH", "value": {"AZURE": {"Ethernet0": "5m"}}},
			{"op": "add", "path": "/PORT_QOS_MAP", "value": {"Ethernet0": {"pfc_enable": "3"}}}]`)
		require.Nil(t, b.Row("BUFFER_PG", "Ethernet0|3"), "there is no pool")
		pools := `{"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"}}`
		if release < "202511" {
			require.Contains(t, b.refuse(add("/BUFFER_POOL", pools)), "BUFFER_POOL table is illegal")
		}
		b.d.WriteFile("/tmp/pools.json", []byte(`{"BUFFER_POOL": `+pools+`}`), 0o644)
		b.ok("config load /tmp/pools.json -y")
		b.ok("config interface startup Ethernet0")
		require.Equal(t, "pg_lossless_100000_5m_profile", b.Row("BUFFER_PG", "Ethernet0|3")["profile"], release)
	}
}

// TestDynamic: headroom is computed in APPL_DB, by the formula of the branch.
func TestDynamic(t *testing.T) {
	eight := []sim.Port{{Name: "Ethernet0", Lanes: "0,1,2,3,4,5,6,7", SpeedMbps: 400_000, Index: 1}}
	for _, c := range []struct {
		release         string
		spectrum        int
		ports           []sim.Port
		cable           string
		name            string
		size, xon, xoff string
	}{
		{"202205", 1, ports(), "5m", "pg_lossless_100000_5m_profile", "74752", "19456", "55296"},
		{"202205", 1, ports(), "300m", "pg_lossless_100000_300m_profile", "128000", "19456", "108544"},
		{"202205", 2, ports(), "40m", "pg_lossless_100000_40m_profile", "86016", "19456", "66560"},
		{"202305", 3, eight, "5m", "pg_lossless_400000_5m_profile", "162816", "37888", "115712"},
		{"202311", 4, ports(), "40m", "pg_lossless_100000_40m_profile", "101376", "19456", "81920"},
		{"202405", 1, ports(), "5m", "pg_lossless_100000_5m_profile", "61440", "19456", "41984"},
		{"202605", 1, ports(), "5m", "pg_lossless_100000_5m_profile", "63488", "19456", "44032"},
	} {
		b := boot(t, sim.Box{
			Release: c.release, Spectrum: c.spectrum, Ports: c.ports, Cable: c.cable, QoS: sim.Template, Model: sim.Dynamic,
		})
		b.patch(replace("/LOSSLESS_TRAFFIC_PATTERN/AZURE/small_packet_percentage", `"50"`))
		require.Equal(t, c.name, b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"])
		require.Equal(t, map[string]string{
			"pool": "ingress_lossless_pool", "dynamic_th": "0", "size": c.size, "xon": c.xon, "xoff": c.xoff,
		}, b.Applied("BUFFER_PROFILE_TABLE:"+c.name), "%+v", c)
	}
	b := boot(t, sim.Box{QoS: sim.Template, Model: sim.Dynamic})
	b.patch(replace("/CABLE_LENGTH/AZURE/Ethernet0", `"17m"`))
	require.Equal(t, "pg_lossless_100000_17m_profile", b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"], "any length is possible")
	require.Nil(t, b.Row("BUFFER_PROFILE", "pg_lossless_100000_17m_profile"))
	b.patch(replace("/PORT/Ethernet0/mtu", `"9000"`))
	require.NotNil(t, b.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_17m_mtu9000_profile"))
	require.Nil(t, b.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_17m_profile"))
	b.patch(remove("/BUFFER_PG/Ethernet0|3-4"))
	require.Nil(t, b.Applied("BUFFER_PG_TABLE:Ethernet0:3-4"), "a missing row is not lossless, whatever pfc_enable says")
	b.patch(replace("/BUFFER_PG/Ethernet4|3-4/profile", `"ingress_lossless_profile"`))
	require.Equal(t, "ingress_lossless_profile", b.Applied("BUFFER_PG_TABLE:Ethernet4:3-4")["profile"], "a static profile overrides")
	b.d.WriteFile("/tmp/shared.json", []byte(`{"BUFFER_POOL": {"ingress_lossless_pool": {"xoff": "1000000"}}}`), 0o644)
	b.ok("config load -y /tmp/shared.json")
	require.Equal(t, "19456", b.Applied("BUFFER_PROFILE_TABLE:pg_lossless_100000_5m_profile")["size"], "headroom is now shared")
	tight := boot(t, sim.Box{QoS: sim.Template, Model: sim.Dynamic, Headroom: 300_000})
	tight.patch(replace("/CABLE_LENGTH/AZURE/Ethernet0", `"300m"`))
	require.Equal(t, "pg_lossless_100000_5m_profile", tight.Applied("BUFFER_PG_TABLE:Ethernet0:3-4")["profile"], "the previous groups stay")
	require.NotEmpty(t, tight.log("accumulative headroom size exceeds the limit"))
}

// TestYANG: content that the models refuse, by release.
func TestYANG(t *testing.T) {
	for _, c := range []struct {
		patch        string
		since, until string // releases that accept it
	}{
		{add("/SCHEDULER/a", `{"weight": "0"}`), "", ""},
		{add("/SCHEDULER/a", `{"frob": "0"}`), "", ""},
		{add("/SCHEDULER/a", `{"type": "STRICT", "weight": "100"}`), "202205", "202605"},
		{add("/SCHEDULER/a", `{"cbs": "100"}`), "", ""},
		{add("/SCHEDULER/a", `{"cir": "100", "cbs": "100", "pir": "200", "pbs": "300"}`), "202205", "202605"},
		{add("/SCHEDULER/a", `{"cir": "100", "pir": "99"}`), "", ""},
		{add("/DSCP_TO_TC_MAP/A.B", `{"1": "1"}`), "", ""},
		{add("/DSCP_TO_TC_MAP/AB", `{"64": "1"}`), "", ""},
		{add("/DSCP_TO_TC_MAP/AB", `{"63": "15"}`), "202205", "202605"},
		{add("/DSCP_TO_TC_MAP/AB", `{"63": "16"}`), "", ""},
		{add("/TC_TO_QUEUE_MAP/AB", `{"8": "8"}`), "202411", "202605"},
		{add("/TC_TO_DSCP_MAP", `{"AB": {"3": "26"}}`), "202411", "202605"},
		{add("/PORT_QOS_MAP/Ethernet0/scheduler", `"scheduler.0"`), "202305", "202605"},
		{add("/PORT_QOS_MAP/Ethernet0/pfc_enable", `"3,4,8"`), "", ""},
		{add("/PORT_QOS_MAP/Ethernet0/pfc_enable", `"3 4"`), "", ""},
		{add("/PORT_QOS_MAP/Ethernet99", `{"pfc_enable": "3"}`), "", ""},
		{add("/PORT_QOS_MAP/global", `{"dscp_to_tc_map": "AZURE"}`), "202205", "202605"},
		{add("/CABLE_LENGTH/AZURE/Ethernet0", `"5.5m"`), "", ""},
		{add("/CABLE_LENGTH/AZURE/Ethernet0", `"None"`), "", ""},
		{add("/QUEUE/Ethernet0|9", `{"scheduler": "none"}`), "", ""},
		{add("/QUEUE/Ethernet0", `{"scheduler": "scheduler.0"}`), "", ""},
		{add("/BUFFER_PG/Ethernet0|8", `{"profile": "NULL"}`), "", ""},
		{add("/BUFFER_PG/Ethernet0|6-7", `{"profile": "NULL"}`), "202205", "202605"},
		{add("/BUFFER_QUEUE/Ethernet0|7-15", `{"profile": "egress_lossy_profile"}`), "202205", "202605"},
		{add("/BUFFER_QUEUE/Ethernet0|16", `{"profile": "egress_lossy_profile"}`), "", ""},
		{add("/BUFFER_PORT_EGRESS_PROFILE_LIST/Ethernet0/profile_list", `"egress_lossy_profile,none"`), "", ""},
		{add("/BUFFER_PROFILE/a", `{"pool": "ingress_lossless_pool"}`), "", ""},
		{add("/BUFFER_PROFILE/a", `{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "8"}`), "", ""},
		{add("/BUFFER_PROFILE/a", `{"pool": "ingress_lossless_pool", "size": "0", "packet_discard_action": "drop"}`), "202511", "202605"},
		{add("/WRED_PROFILE/A", `{"green_max_threshold": "5"}`), "", ""},
		{add("/WRED_PROFILE/A", `{"green_min_threshold": "6", "green_max_threshold": "5"}`), "", ""},
		{add("/WRED_PROFILE/A", `{"green_min_threshold": "5", "green_max_threshold": "5", "wred_green_enable": "true"}`), "202511", "202605"},
		{add("/PFC_WD/Ethernet0", `{"action": "drop", "detection_time": "100", "restoration_time": "200"}`), "", ""},
		{add("/PFC_WD/Ethernet0", `{"action": "drop", "detection_time": "200", "restoration_time": "200"}`), "202205", "202605"},
		{add("/PFC_WD/Ethernet0", `{"detection_time": "200", "restoration_time": "200", "pfc_stat_history": "enable"}`), "202511", "202605"},
		{replace("/PFC_WD/GLOBAL/POLL_INTERVAL", `"3001"`), "", ""},
		{add("/LOSSLESS_TRAFFIC_PATTERN", `{"AZURE": {"mtu": "1024"}}`), "", ""},
		{add("/LOSSLESS_TRAFFIC_PATTERN", `{"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}}`), "202205", "202605"},
		{add("/DEFAULT_LOSSLESS_BUFFER_PARAMETER", `{"AZURE": {"default_dynamic_th": "0", "max_headroom_size": "1"}}`), "", ""},
		{replace("/PORT/Ethernet4/lanes", `"0,1,2,3"`), "", ""},
		{remove("/PORT/Ethernet4"), "", ""},
		{remove("/SCHEDULER/scheduler.0"), "", ""},
	} {
		for _, release := range sim.Releases() {
			b := boot(t, sim.Box{Release: release, QoS: sim.Template})
			b.ok("pfcwd interval 200")
			b.file(c.patch)
			status, out, errs := b.as("root", "config apply-patch /tmp/patch.json")
			taken := c.since != "" && release >= c.since && release <= c.until
			require.Equal(t, map[bool]int{true: 0, false: 2}[taken], status, "%s on %s\n%s%s", c.patch, release, out, errs)
		}
	}
	for _, release := range sim.Releases() {
		b := boot(t, sim.Box{Release: release, QoS: sim.Template})
		b.ok("pfcwd interval 200")
		b.file(replace("/PFC_WD/GLOBAL/POLL_INTERVAL", `"1500"`))
		status, _, _ := b.as("root", "config apply-patch /tmp/patch.json")
		require.Equal(t, map[bool]int{true: 2, false: 0}[release >= "202511"], status, release)
	}
}
