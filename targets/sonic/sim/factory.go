package sim

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// factory returns the CONFIG_DB of a fresh switch for one namespace. Ports are assigned to the chips in turn. On a switch with several
// chips, the host's database has no ports.
func (s *Switch) factory(ns string) db {
	d := db{
		"DEVICE_METADATA": {"localhost": {
			"hwsku": s.HwSKU, "platform": s.Platform, "mac": "52:54:00:12:34:56", "hostname": "sonic", "type": "LeafRouter",
			"buffer_model": s.Model, "default_pfcwd_status": "disable", "docker_routing_config_mode": "separated",
		}},
		"FEATURE":            {"lldp": {"state": "enabled", "auto_restart": "enabled"}, "swss": {"state": "enabled", "auto_restart": "enabled"}},
		"FLEX_COUNTER_TABLE": {},
		"CRM":                {"Config": {"polling_interval": "300"}},
		"MGMT_PORT":          {"eth0": {"alias": "eth0", "admin_status": "up"}},
		"MGMT_INTERFACE":     {"eth0|192.0.2.10/24": {"gwaddr": "192.0.2.1"}},
	}
	for _, group := range []string{"PORT", "QUEUE", "PG_DROP", "PG_WATERMARK", "QUEUE_WATERMARK", "BUFFER_POOL_WATERMARK", "PFCWD"} {
		d["FLEX_COUNTER_TABLE"][group] = row{"FLEX_COUNTER_STATUS": "enable"}
	}
	if chip, ok := strings.CutPrefix(ns, "asic"); ok {
		d["DEVICE_METADATA"]["localhost"]["asic_id"], d["DEVICE_METADATA"]["localhost"]["asic_name"] = chip, ns
	}
	ports := s.portsOf(ns)
	for _, p := range ports {
		if d["PORT"] == nil {
			d["PORT"] = table{}
		}
		r := row{
			"lanes": p.Lanes, "speed": strconv.Itoa(p.SpeedMbps), "alias": or(p.Alias, p.Name), "index": strconv.Itoa(p.Index),
			"mtu": strconv.Itoa(p.MTU), "admin_status": "up",
		}
		if p.Down {
			r["admin_status"] = "down"
		}
		if p.Unset {
			delete(r, "admin_status")
		}
		d["PORT"][p.Name] = r
	}
	if s.QoS == Template && len(ports) > 0 {
		maps.Copy(d, s.template(ports, s.Model))
	}
	return d
}

// portsOf returns the ports of a namespace.
func (s *Switch) portsOf(ns string) (out []Port) {
	for i, p := range s.Ports {
		if s.Chips < 2 && ns == "" || s.Chips > 1 && ns == "asic"+strconv.Itoa(i%s.Chips) {
			out = append(out, p)
		}
	}
	return out
}

// template returns the tables that qos_config.j2 and buffers_config.j2 write. Priorities 3 and 4 are lossless, and DSCP 26 is lossy.
// Source: sonic-buildimage, files/build_templates.
func (s *Switch) template(ports []Port, model string) db {
	same := func(n int) row {
		r := row{}
		for i := range n {
			r[strconv.Itoa(i)] = strconv.Itoa(i)
		}
		return r
	}
	dscp := row{}
	for i := range 64 {
		dscp[strconv.Itoa(i)] = "1"
	}
	maps.Copy(dscp, row{"3": "3", "4": "4", "5": "2", "8": "0", "46": "5", "48": "6"})
	wred := row{"ecn": "ecn_all"}
	for _, color := range []string{"green", "yellow", "red"} {
		wred["wred_"+color+"_enable"] = "true"
		wred[color+"_min_threshold"], wred[color+"_max_threshold"], wred[color+"_drop_probability"] = "1048576", "2097152", "5"
	}
	d := db{
		"DSCP_TO_TC_MAP":            {"AZURE": dscp},
		"TC_TO_QUEUE_MAP":           {"AZURE": same(8)},
		"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": same(8)},
		"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": row{
			"0": "0", "1": "0", "2": "0", "3": "3", "4": "4", "5": "0", "6": "0", "7": "7",
		}},
		"SCHEDULER":    {"scheduler.0": row{"type": "DWRR", "weight": "14"}, "scheduler.1": row{"type": "DWRR", "weight": "15"}},
		"WRED_PROFILE": {"AZURE_LOSSLESS": wred},
		"QUEUE":        {}, "PORT_QOS_MAP": {}, "CABLE_LENGTH": {"AZURE": row{}}, "BUFFER_PG": {}, "BUFFER_QUEUE": {},
		"BUFFER_POOL": {
			"ingress_lossless_pool": row{"type": "ingress", "mode": "dynamic"},
			"egress_lossless_pool":  row{"type": "egress", "mode": "dynamic", "size": "34287552"},
			"egress_lossy_pool":     row{"type": "egress", "mode": "dynamic"},
		},
		"BUFFER_PROFILE": {
			"ingress_lossless_profile": row{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "7"},
			"ingress_lossy_profile":    row{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
			"egress_lossless_profile":  row{"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
			"egress_lossy_profile":     row{"pool": "egress_lossy_pool", "size": "9216", "dynamic_th": "7"},
		},
		"BUFFER_PORT_INGRESS_PROFILE_LIST": {}, "BUFFER_PORT_EGRESS_PROFILE_LIST": {},
	}
	maker := s.ASIC == "mellanox" || s.ASIC == "barefoot"
	if maker {
		d["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] = table{"AZURE": row{"3": "3", "4": "4"}}
	}
	if model == Dynamic {
		d["LOSSLESS_TRAFFIC_PATTERN"] = table{"AZURE": row{"mtu": "1024", "small_packet_percentage": "100"}}
		d["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = table{"AZURE": row{"default_dynamic_th": "0"}}
	} else {
		d["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "11000000"
		d["BUFFER_POOL"]["egress_lossy_pool"]["size"] = "9000000"
	}
	for _, p := range ports {
		r := row{
			"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4",
			"pfcwd_sw_enable": "3,4",
		}
		if maker {
			r["pfc_to_pg_map"] = "AZURE"
		}
		d["PORT_QOS_MAP"][p.Name] = r
		d["CABLE_LENGTH"]["AZURE"][p.Name] = s.Cable
		for q := range 7 {
			queue := row{"scheduler": "scheduler.0"}
			if q == 3 || q == 4 {
				queue = row{"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"}
			}
			d["QUEUE"][fmt.Sprintf("%s|%d", p.Name, q)] = queue
		}
		d["BUFFER_PG"][p.Name+"|0"] = row{"profile": "ingress_lossy_profile"}
		if model == Dynamic {
			d["BUFFER_PG"][p.Name+"|3-4"] = row{"profile": "NULL"}
		}
		d["BUFFER_QUEUE"][p.Name+"|0-2"] = row{"profile": "egress_lossy_profile"}
		d["BUFFER_QUEUE"][p.Name+"|3-4"] = row{"profile": "egress_lossless_profile"}
		d["BUFFER_QUEUE"][p.Name+"|5-6"] = row{"profile": "egress_lossy_profile"}
		d["BUFFER_PORT_INGRESS_PROFILE_LIST"][p.Name] = row{"profile_list": "ingress_lossless_profile"}
		d["BUFFER_PORT_EGRESS_PROFILE_LIST"][p.Name] = row{"profile_list": "egress_lossless_profile,egress_lossy_profile"}
	}
	return d
}

// Files returns the SONiC files of a fresh switch.
func (s *Switch) Files() map[string]string {
	device := "/usr/share/sonic/device/" + s.Platform
	sku := device + "/" + s.HwSKU
	out := map[string]string{
		VersionPath: fmt.Sprintf("---\nbuild_version: '%s'\ndebian_version: '12.11'\nkernel_version: '6.1.0-29-2-amd64'\nasic_type: %s\n"+
			"asic_subtype: '%s'\ncommit_id: '1a2b3c4d5'\nbranch: '%s'\nrelease: 'none'\nbuild_date: Mon Nov 23 10:00:00 UTC 2026\n"+
			"build_number: 12\nbuilt_by: builder@lab\nsonic_os_version: 12\n", s.Build, s.ASIC, s.ASIC, s.Release),
		"/host/machine.conf":      "onie_platform=" + s.Platform + "\nonie_machine=lab\n",
		"/etc/os-release":         "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n",
		device + "/platform.json": s.platformJSON(),
		sku + "/port_config.ini":  s.portConfig(),
	}
	if s.Lookup != NoLookup {
		out[sku+"/pg_profile_lookup.ini"] = s.Lookup
	}
	if s.Chips > 1 {
		out[device+"/asic.conf"] = fmt.Sprintf("NUM_ASIC=%d\n", s.Chips)
	}
	for _, ns := range append([]string{""}, s.namespaces()...) {
		out[savedPath(ns)] = indented(toTree(s.factory(ns)))
	}
	return out
}

// portConfig returns port_config.ini, with a row for each port.
func (s *Switch) portConfig() string {
	var b strings.Builder
	b.WriteString("# name          lanes                alias     index     speed\n")
	for _, p := range s.Ports {
		fmt.Fprintf(&b, "%-15s %-20s %-9s %-9d %d\n", p.Name, p.Lanes, or(p.Alias, p.Name), p.Index, p.SpeedMbps)
	}
	return b.String()
}

// platformJSON returns platform.json. For the first port of each cage it has the lanes and the possible breakouts.
func (s *Switch) platformJSON() string {
	cages := map[int][]Port{}
	for _, p := range s.Ports {
		cages[p.Index] = append(cages[p.Index], p)
	}
	interfaces := map[string]any{}
	for index, ports := range cages {
		var lanes, places []string
		total := 0
		for _, p := range ports {
			lanes = append(lanes, p.Lanes)
			total += p.SpeedMbps / 1000
		}
		n := strings.Count(strings.Join(lanes, ","), ",") + 1
		for range n {
			places = append(places, strconv.Itoa(index))
		}
		modes := map[string]any{}
		for parts := 1; parts <= n; parts *= 2 {
			var names []any
			for i := range parts {
				name := fmt.Sprintf("etp%d", index)
				if parts > 1 {
					name += string(rune('a' + i))
				}
				names = append(names, name)
			}
			modes[fmt.Sprintf("%dx%dG", parts, total/parts)] = names
		}
		interfaces[ports[0].Name] = map[string]any{
			"index": strings.Join(places, ","), "lanes": strings.Join(lanes, ","), "breakout_modes": modes,
		}
	}
	return indented(map[string]any{"chassis": map[string]any{"name": s.HwSKU}, "interfaces": interfaces}) + "\n"
}
