package targets_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target"
)

// verdict is a test case: a device's answer to one claim, and its verdict.
type verdict struct {
	at, id, answer string
	want           target.Verdict
}

// TestVerdicts judges answers claim by claim.
func TestVerdicts(t *testing.T) {
	const yes, no, open = target.Holds, target.DoesNotHold, target.NotDecided
	const features, infra = "/etc/cumulus/datapath/qos/qos_features.conf", "/etc/mlx/datapath/qos/qos_infra.conf"
	const spectrum = "/usr/lib/python2.7/dist-packages/cumulus/__chip_config/mlx/datapath.conf"
	rows := []verdict{
		{"cumulus 3.4.3", "cumulus-files-place", "/etc/cumulus/datapath/traffic.conf file\n", yes},
		{"cumulus 3.4.3", "cumulus-files-place", "/etc/cumulus/datapath/traffic.conf link\n", no},
		{"cumulus 4.4.0", "cumulus-files-place", features + " file\n" + infra + " file\n", yes},
		{"cumulus 4.4.0", "cumulus-files-place", features + " file\n" + infra + " none\n", no},
		{"cumulus 4.4.0", "cumulus-files-place", features + " file\n", open},
		{"cumulus 3.4.3", "cumulus-map-spelling", "traffic.cos_0.packet_priorities\ntraffic.packet_priority_source\n", yes},
		{"cumulus 3.4.3", "cumulus-map-spelling", "traffic.cos_0.packet_priorities.8021p\ntraffic.packet_priority_source_set\n", no},
		{"cumulus 3.7.16", "cumulus-map-spelling", "# traffic.cos_0.priority_source.8021p\ntraffic.packet_priority_source_set\n", yes},
		{"cumulus 4.1.1", "cumulus-marking-keys", "# ecn_red.\n", yes},
		{"cumulus 4.1.1", "cumulus-marking-keys", "# ecn.\n", no},
		{"cumulus 5.3.0", "cumulus-marking-keys", "# ecn_red.\ndefault_ecn_red_conf.\n", yes},
		{"cumulus 5.3.0", "cumulus-marking-keys", "default_ecn_conf.\n", no},
		{"cumulus 4.4.0", "cumulus-cable-default", "cable_length = 10\n", yes},
		{"cumulus 4.4.0", "cumulus-cable-default", "cable_length = 10\ncable_length = 100\n", no},
		{"cumulus 4.4.0", "cumulus-cable-default", "", open},
		{"cumulus 4.0.1", "cumulus-checker", "/usr/cumulus/bin/cl-consistency-check\n", no},
		{"cumulus 4.0.1", "cumulus-checker", "none\n", yes},
		{"cumulus 4.1.1", "cumulus-checker", "/usr/cumulus/bin/cl-consistency-check\n", yes},
		{"cumulus 4.1.1", "cumulus-checker", "none\n", no},
		{"cumulus 5.3.0", "cumulus-checker-options", "usage: x [-qf FILE] [-qi FILE]\n(exit status 1)\n", yes},
		{"cumulus 5.3.0", "cumulus-checker-options", "Usage: x [-t FILE]\n", no},
		{"cumulus 5.3.0", "cumulus-checker-options", "sh: cl-consistency-check: not found\n", open},
		{"cumulus 4.1.1", "cumulus-counters", "HwIfInBufferDrops\nHwIfInPausePkt\n", no},
		{"cumulus 4.1.1", "cumulus-switchd-log", "/var/log/switchd.log file\n", yes},
		{"cumulus 4.1.1", "cumulus-switchd-log", "/var/log/switchd.log none\n", open},
		{"cumulus 4.1.1", "cumulus-nodes", "/cumulus/switchd/config/traffic\n/cumulus/switchd/config/traffic/reload\nend\n", yes},
		{"cumulus 4.1.1", "cumulus-nodes", "end\n", yes},
		{"cumulus 4.1.1", "cumulus-nodes", "/cumulus/switchd/run/cos\nend\n", open},
		{"cumulus 4.1.1", "cumulus-nodes", "/cumulus/switchd/config/traffic\n", open},
		{"cumulus 4.4.0", "cumulus-pool-keys", "# flow_control.egress_service_pool = 0\n# flow_control.ingress_service_pool = 0\n" +
			"priority_group.bulk.ingress_buffer.dynamic_quota = ALPHA_8\n", yes},
		{"cumulus 4.4.0", "cumulus-pool-keys", "flow_control.service_pool = 1\n", no},
		{"cumulus 4.3.0", "cumulus-memory-place", spectrum + " file\n/etc/mlx/datapath/datapath.conf none\n", yes},
		{"cumulus 4.3.0", "cumulus-memory-place", spectrum + " none\n/etc/mlx/datapath/datapath.conf file\n", no},
		{"cumulus 4.3.0", "cumulus-memory-keys", "# ingress_service_pool.0.mode = 1\n# flow_control.ingress_buffer.dynamic_quota = 9\n", yes},
		{"cumulus 4.3.0", "cumulus-memory-keys", "ingress_service_pool.0.percent = 100.0\n", no},
		{"cumulus 4.3.0", "cumulus-reload-node", "there\n", yes},
		{"cumulus 4.3.0", "cumulus-reload-node", "none\n", no},
		{"cumulus 3.7.16", "cumulus-reload-node", "there\n", no},
		{"cumulus 3.7.16", "cumulus-nclu", "status 0\nroce lossless\n", yes},
		{"cumulus 3.7.16", "cumulus-nclu", "status 1\n", no},
		{"cumulus 3.7.16", "cumulus-nclu", "status 127\n", open},

		{"nvue 5.9.1", "nvue-version", "nv 5.9.1\n", yes},
		{"nvue 5.9.1", "nvue-version", "Invalid Command: nv\n", open},
		{"nvue 5.9.1", "nvue-yaml-block", "- header:\n- set:\n    qos:\n", yes},
		{"nvue 5.9.1", "nvue-yaml-block", "- header: {\n- set: {\n", no},
		{"nvue 5.9.1", "nvue-yaml-block", "- set: {}\n", open},
		{"nvue 5.9.1", "nvue-quoted-numbers", "'0':\n\"3\":\n", yes},
		{"nvue 5.9.1", "nvue-quoted-numbers", "'0':\n3:\n", no},
		{"nvue 5.9.1", "nvue-roce-word", `"enable": "on"`, yes},
		{"nvue 5.9.1", "nvue-roce-word", `"state": "enabled"`, no},
		{"nvue 5.15.0", "nvue-roce-word", `"state": "enabled"`, yes},
		{"nvue 5.15.0", "nvue-roce-word", `"enable": "on"`, no},
		{"nvue 5.15.0", "nvue-roce-word", `"state": "on"`, no},
		{"nvue 5.15.0", "nvue-adaptive-word", `"state":"disabled"`, yes},
		{"nvue 5.15.0", "nvue-adaptive-word", `"enable": "off"`, no},
		{"nvue 5.9.1", "nvue-roce-cable", "\"mode\":\n\"trust-mode\":\n", yes},
		{"nvue 5.9.1", "nvue-roce-cable", "\"cable-length\":\n\"mode\":\n", no},
		{"nvue 5.9.1", "nvue-roce-cable", "", open},
		{"nvue 5.15.0", "nvue-ecn-word", "\"ecn\": \"enable\"\n\"red\": \"disable\"\n", yes},
		{"nvue 5.15.0", "nvue-ecn-word", "\"ecn\": \"enabled\"\n\"red\": \"disable\"\n", no},
		{"nvue 5.9.1", "nvue-auto-save", `"enable": "on"`, yes},
		{"nvue 5.9.1", "nvue-auto-save", `"enable": "off"`, open},
		{"nvue 5.9.1", "nvue-auto-save", `"state": "enabled"`, no},
		{"nvue 5.4.0", "nvue-auto-save", `"enable": "off"`, yes},
		{"nvue 5.9.1", "nvue-json-sizes", "\"max-threshold\": 1500000\n\"min-threshold\": \"146.48 KB\"\n", yes},
		{"nvue 5.9.1", "nvue-json-sizes", `"min-threshold": "146.48 KiB"`, no},
		{"nvue 5.9.1", "nvue-priority-group-keys", "\"0\": {\n\"headroom\": \n\"lossy-lossless\": \"lossy\"\n", yes},
		{"nvue 5.9.1", "nvue-priority-group-keys", "\"0\": {\n\"hr\": \n", no},
		{"nvue 5.9.1", "nvue-revision-keys", "\"1\": {\n\"state\": \"applied\"\n", yes},
		{"nvue 5.9.1", "nvue-revision-keys", "\"state\": \"applied\"\n", no},
		{"nvue 5.9.1", "nvue-parent-number", "\"parent-revision-id\": \"7\"\n\"parent-revision-id\": 8\n", yes},
		{"nvue 5.9.1", "nvue-parent-number", "\"parent-revision-id\": \"applied\"\n", no},
		{"nvue 5.9.1", "nvue-diff-empty", "status 0\n", yes},
		{"nvue 5.9.1", "nvue-diff-empty", "status 1\n", no},
		{"nvue 5.9.1", "nvue-diff-empty", "Error: Could not connect to nvued\nstatus 1\n", open},
		{"nvue 5.9.1", "nvue-cable-default", `"cable-length": 10`, yes},
		{"nvue 5.9.1", "nvue-cable-default", `"cable-length": 100`, open},
		{"nvue 5.9.1", "nvue-startup", "there\n", yes},
		{"nvue 5.9.1", "nvue-startup", "none\n", open},
		{"nvue 5.9.1", "nvue-eeprom", "\"Product Name\":\n\"tlv\":\n\"value\":\n", yes},
		{"nvue 5.9.1", "nvue-eeprom", "\"Product Name\":\n\"value\":\n", no},
		{"nvue 5.17.0", "nvue-small-packets-place", "profile\n\"small-packet-probability\": 50\ninterface\n", yes},
		{"nvue 5.17.0", "nvue-small-packets-place", "profile\ninterface\n\"small-packet-probability\": 50\n", no},
		{"nvue 5.17.0", "nvue-small-packets-place", "profile\ninterface\n", open},

		{"mlx5 3.4.3", "host-pause-text", "Pause parameters for e:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\toff\n", yes},
		{"mlx5 3.4.3", "host-pause-text", "rx on\ntx on\n", no},
		{"mlx5 3.4.3", "host-pause-json", `[ {"ifname": "e", "rx": true, "tx": false} ]`, yes},
		{"mlx5 3.4.3", "host-pause-json", `[ ]`, no},
		{"mlx5 3.4.3", "host-pause-json", "ethtool: bad command line argument(s)\n(exit status 1)\n", open},
		{"mlx5 3.4.3", "host-cma-tos", "default_roce_mode\ndefault_roce_tos\n", yes},
		{"mlx5 3.4.3", "host-cma-tos", "default_roce_mode\n", no},
		{"mlx5 3.4.3", "mlx5-roce-enable", "file 1\n\"cmode\": \"driverinit\"\n\"value\": true\n", yes},
		{"mlx5 3.4.3", "mlx5-roce-enable", "file 0\n\"value\":true\n", no},
		{"mlx5 3.4.3", "mlx5-roce-enable", "cat: no such file\nfile \n\"value\":true\n", open},
		{"mlx5 3.4.3", "mlx5-dcqcn-place", "ecn\n", yes},
		{"mlx5 3.4.3", "mlx5-dcqcn-place", "ls: cannot access\n", open},
		{"mlx5 3.4.3", "mlx5-cnp-mode", "1\n", yes},
		{"mlx5 3.4.3", "mlx5-cnp-mode", "0\n", no},
		{"mlx5 3.4.3", "mlx5-cnp-mode", "written\n0\n", open}, // by rocec
		{"mlx5 3.4.3", "mlx5-cnp-mode", "cat: no such file\n(exit status 1)\n", open},
		{"mlx5 3.4.3", "mlx5-rdma-counters", "out_of_buffer\n", no},
		{"mlx5 3.4.3", "mlx5-port-counters", "rx_prio0_pause\n", no},
	}
	rows = append(rows, sonicVerdicts...)
	all, judged := claimed(t), map[string]bool{}
	for _, r := range rows {
		found := false
		for _, c := range all[r.at] {
			if c.ID == r.id {
				found, judged[r.id] = true, true
				assert.Equal(t, r.want, c.Judge([]byte(r.answer)), "%s: %s: %s", r.at, r.id, r.answer)
			}
		}
		require.True(t, found, "%s has no %s", r.at, r.id)
	}
	for _, list := range all {
		for _, c := range list {
			assert.True(t, judged[c.ID], "no row of the table judges %s", c.ID)
		}
	}
}

const (
	listed    = "\"BUFFER_POOL\":\n\"BUFFER_PROFILE\":\n\"PFC_WD\":\n"
	listedRED = listed + "\"WRED_PROFILE\":\n"
)

var sonicVerdicts = []verdict{
	{"sonic 202505", "sonic-print-data", "            \"lanes\": \n        \"Ethernet\": \n    \"PORT\": \n", target.Holds},
	{"sonic 202505", "sonic-print-data", "    \"lanes\": \n  \"Ethernet\": \n\"PORT\": \n", target.DoesNotHold},
	{"sonic 202505", "sonic-print-data", "    \"PORT\": \n", target.NotDecided},
	{"sonic 202205", "sonic-hash-text", "{'speed': '100000'\n", target.Holds},
	{"sonic 202205", "sonic-hash-text", " 'speed': '100000',\n", target.Holds},
	{"sonic 202205", "sonic-hash-text", "\"speed\":\"100000\"\n", target.DoesNotHold},
	{"sonic 202205", "sonic-hash-text", "{}\n", target.NotDecided},
	{"sonic 202511", "sonic-version-keys", "build_version:\ndebian_version:\nasic_type:\n", target.Holds},
	{"sonic 202511", "sonic-version-keys", "build_version:\nasic:\n", target.DoesNotHold},
	{"sonic 202511", "sonic-version-keys", "grep: /etc/sonic/sonic_version.yml: No such file or directory\n", target.NotDecided},
	{"sonic 202511", "sonic-applied-groups", "BUFFER_PG_TABLE:Ethernet0:3-4 pg_lossless\nBUFFER_PG_TABLE:Ethernet0:0 ingress\n", target.Holds},
	{"sonic 202511", "sonic-applied-groups", "BUFFER_PG_TABLE:Ethernet0:3-4 [BUFFER_PROFILE_TABLE:pg_lossless\n", target.DoesNotHold},
	{"sonic 202511", "sonic-applied-groups", "BUFFER_PG_TABLE:Ethernet0|3-4 pg_lossless\n", target.DoesNotHold},
	{"sonic 202511", "sonic-applied-groups", "\n", target.NotDecided},
	{"sonic 202205", "sonic-patch-list", listedRED, target.Holds},
	{"sonic 202205", "sonic-patch-list", listed, target.DoesNotHold},
	{"sonic 202205", "sonic-patch-list", "", target.NotDecided},
	{"sonic 202505", "sonic-patch-list", listedRED, target.Holds},
	{"sonic 202505", "sonic-patch-list", "\"BUFFER_PG\":\n" + listedRED, target.DoesNotHold},
	{"sonic 202511", "sonic-patch-list", listed, target.Holds},
	{"sonic 202511", "sonic-patch-list", listedRED, target.DoesNotHold},
	{"sonic 202205", "sonic-admin-status", "32 \"lanes\":\n32 \"admin_status\":\n", target.Holds},
	{"sonic 202205", "sonic-admin-status", "32 \"lanes\":\n30 \"admin_status\":\n", target.DoesNotHold},
	{"sonic 202205", "sonic-admin-status", "32 \"lanes\":\n0 \"admin_status\":\n", target.DoesNotHold},
	{"sonic 202205", "sonic-admin-status", "sh: sonic-cfggen: not found\n0 \"lanes\":\n0 \"admin_status\":\n", target.NotDecided},
	{"sonic 202205", "sonic-admin-status", "\n", target.NotDecided},
	{"sonic 202505", "sonic-lookup-columns", " 10000 5m 49152 19456 29696 0\n25000 40m 49152 19456 29696 -3 2496 \n", target.Holds},
	{"sonic 202505", "sonic-lookup-columns", "10000 5m 49152 19456 29696\n", target.DoesNotHold},
	{"sonic 202505", "sonic-lookup-columns", "10000 16 49152 19456 29696 0\n", target.DoesNotHold},
	{"sonic 202505", "sonic-lookup-columns", "grep: no such file\n", target.NotDecided},
}
