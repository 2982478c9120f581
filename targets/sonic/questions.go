package sonic

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target"
)

// asks are queries for the stored and the running configuration, sizes of buffers, and the release.
var asks = []target.Question{
	{File: "config_db.json", Cmd: "cat /etc/sonic/config_db.json", Says: "the stored configuration"},
	{File: "running-config_db.json", Cmd: "sonic-cfggen -d --print-data", Says: "the running configuration"},
	{File: "sonic_version.yml", Cmd: "cat /etc/sonic/sonic_version.yml", Says: "the release"},
	{File: target.CountersDBFile, Cmd: askCounters, Says: "counters of pauses, queues and headroom"},
}

// kept are the tables about lossless traffic, cables or routing.
var kept = sync.OnceValue(func() snapshot.Kept {
	out := snapshot.Kept{
		"BREAKOUT_CFG", "CABLE_LENGTH", "DEVICE_NEIGHBOR", "INTERFACE", "LOOPBACK_INTERFACE", "MCLAG_DOMAIN", "PORTCHANNEL",
		"PORTCHANNEL_INTERFACE", "PORTCHANNEL_MEMBER", "VLAN", "VLAN_INTERFACE", "VLAN_MEMBER", "VOQ_INBAND_INTERFACE", "FEATURE",
		"DEVICE_NEIGHBOR_METADATA.*.type", "DEVICE_NEIGHBOR_METADATA.*.hwsku",
		"BGP_NEIGHBOR.*.asn", "BGP_NEIGHBOR.*.name", "BGP_NEIGHBOR.*.local_addr", "BGP_NEIGHBOR.*.admin_status",
		"BGP_PEER_RANGE.*.ip_range", "BGP_PEER_RANGE.*.peer_asn",
		"TUNNEL.*.tunnel_type", "TUNNEL.*.src_ip", "TUNNEL.*.dst_ip", "VXLAN_TUNNEL.*.src_ip", "VXLAN_TUNNEL.*.dst_ip", "STP.*.mode",
	}
	for i := range grammar.Tables {
		out = append(out, grammar.Tables[i].Name)
	}
	return out
})

// errPatch is the reason why a patch is not kept.
var errPatch = errors.New("it is a JSON patch, and its operations may set any table")

// keep removes all other tables from a configuration. The name of a removed table stays, without its rows.
func keep(name string, data []byte) (out []byte, dropped int, err error) {
	switch text := bytes.TrimSpace(data); {
	case strings.HasSuffix(name, ".ini"): // only sizes of buffers
		return data, 0, nil
	case read.IsPatch(data):
		return nil, 0, errPatch
	case bytes.IndexByte(text, '{') < 0 && bytes.IndexByte(text, '|') > 0:
		out, dropped = snapshot.Lines(data, func(line string) bool {
			row, _, _ := strings.Cut(line, " ")
			return kept().Path(pathOf([]string{row}))
		})
		return out, dropped, nil
	}
	return kept().JSON(data, pathOf)
}

// pathOf returns the table, the key and the field of a value in an object of tables, or in a dump of rows ("TABLE|key").
func pathOf(keys []string) []string {
	if strings.HasPrefix(keys[0], "_") { // a database writes its own rows in this form
		return keys
	}
	at := strings.IndexAny(keys[0], "|:")
	if at < 0 {
		return keys
	}
	path := []string{strings.TrimSuffix(keys[0][:at], "_TABLE"), keys[0][at+1:]}
	for _, key := range keys[1:] {
		switch key {
		case "value", "type", "ttl", "expireat":
		default:
			path = append(path, key)
		}
	}
	return path
}

// stated reads the release in /etc/sonic/sonic_version.yml.
func stated(data []byte) string {
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if key != "build_version" {
			continue
		}
		if v, err := grammar.ParseVersion(strings.Trim(strings.TrimSpace(value), `"'`)); err == nil {
			return v.Release.String()
		}
	}
	return ""
}
