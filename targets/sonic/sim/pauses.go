package sim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

var _ target.Pauser = (*Switch)(nil)

// Pause implements [target.Pauser]. A port pauses a priority that orchagent has enabled (PORT_QOS_MAP) and whose group has a lossless
// buffer.
func (s *Switch) Pause(port string, cos int, packets uint64) uint64 {
	priority := strconv.Itoa(cos)
	for _, ns := range s.spaces {
		sp := s.Spaces[ns]
		if sp.Config["PORT"][port] == nil {
			continue
		}
		if slices.Contains(strings.Split(sp.Config["PORT_QOS_MAP"][port]["pfc_enable"], ","), priority) && sp.lossless(port, cos) {
			s.m.Count(port, "SAI_PORT_STAT_PFC_"+priority+"_TX_PKTS", packets)
			return packets
		}
		s.m.Count(port, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS:"+priority, packets)
	}
	return 0
}

// lossless reports whether a priority group of a port has a profile with an xoff.
func (sp *space) lossless(port string, group int) bool {
	for key, row := range sp.Appl {
		groups, ok := strings.CutPrefix(key, "BUFFER_PG_TABLE:"+port+":")
		if !ok {
			continue
		}
		first, last, several := strings.Cut(groups, "-")
		from, err := strconv.Atoi(first)
		to := from
		if several && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err == nil && from <= group && group <= to && sp.Appl["BUFFER_PROFILE_TABLE:"+row["profile"]]["xoff"] != "" {
			return true
		}
	}
	return false
}
