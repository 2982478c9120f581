package read

import (
	"maps"
	"slices"
	"strconv"

	"github.com/rocec/rocec/targets/target"
)

// mostSessions is the maximum number of BGP neighbours that are read.
const mostSessions = 4096

// bgp reads the AS number of DEVICE_METADATA and the neighbours of BGP_NEIGHBOR (sonic-bgp-neighbor.yang: name, asn). The templates of
// bgpcfgd turn them into FRR's configuration, unless docker_routing_config_mode or frr_mgmt_framework_config selects another program.
//
// Source: sonic-buildimage, dockers/docker-fpm-frr/frr/bgpd/templates/general/peer-group.conf.j2: a ToRRouter has allowas-in 1.
func (in *input) bgp() *target.BGP {
	about := in.whole.Row("DEVICE_METADATA", "localhost")
	as, err := strconv.ParseUint(about.Get("bgp_asn"), 10, 32)
	mode := about.Get("docker_routing_config_mode")
	if err != nil || as == 0 || mode != "" && mode != "separated" || about.Get("frr_mgmt_framework_config") == "true" {
		return nil
	}
	out := &target.BGP{AS: uint32(as), Sessions: map[string]uint32{}}
	if about.Get("type") == "ToRRouter" {
		out.Unlike = "the template of SONiC for a ToRRouter accepts its own AS number once in a route (allowas-in)"
	}
	for _, t := range in.texts {
		rows := in.rowsIn(t, "BGP_NEIGHBOR", "session")
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			name := rows[key]["name"]
			other, err := strconv.ParseUint(rows[key]["asn"], 10, 32)
			if err != nil || other == 0 || name == "" || len(name) > neighbourName {
				continue
			}
			if len(out.Sessions) >= mostSessions {
				in.miss("BGP_NEIGHBOR", "the table has more than 4,096 neighbours, and further sessions are not read", t.base)
				return out
			}
			out.Sessions[name] = uint32(other)
		}
	}
	return out
}
