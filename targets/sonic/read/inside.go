package read

import "strings"

// inbandTable has the ports through which the cards of a chassis reach each other.
const inbandTable = "VOQ_INBAND_INTERFACE"

// inside lists the ports inside a chassis, in any order. They are the ports in VOQ_INBAND_INTERFACE, whose other rows are addresses
// (sonic-voq-inband-interface.yang), and ports with such a role in PORT (sonic-port.yang). For such a port, DEVICE_NEIGHBOR names another
// card, and there is no cable. Nil: the texts have no such port.
func (in *input) inside() []string {
	var out []string
	for _, t := range in.texts {
		for key := range in.rowsIn(t, inbandTable, "port") {
			if strings.IndexByte(key, '|') < 0 {
				out = append(out, key)
			}
		}
	}
	if ports := in.whole.Tables["PORT"]; ports != nil {
		for port, row := range ports.Rows {
			switch row.Get("role") {
			case "Int", "Inb", "Rec": // ports to another chip, in-band ports and recirculation ports
				out = append(out, port)
			}
		}
	}
	return out
}

// card reports whether the switch is one chip of a chassis.
func (in *input) card() bool {
	about := in.whole.Row("DEVICE_METADATA", "localhost")
	return IsCard(about.Get("switch_type")) || about.Get("sub_role") != ""
}

// IsCard reports whether a switch_type of DEVICE_METADATA is for a chip of a chassis (sonic-device_metadata.yang).
func IsCard(switchType string) bool {
	return switchType == "voq" || switchType == "fabric" || strings.HasPrefix(switchType, "chassis")
}
