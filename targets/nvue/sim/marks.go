package sim

import (
	"strconv"

	"github.com/rocec/rocec/targets/target"
)

var _ target.Marker = (*NVUE)(nil)

// Marks implements [target.Marker] with the settings of the chip, rounded in the way of the chip.
func (n *NVUE) Marks(port string, cos int) (from int, ok bool) {
	t := n.programmed(port)
	profile, _ := t.at("interface", port, "qos", "congestion-control", "profile").(string)
	if profile == "" {
		profile = "default-global"
	}
	class := t.sub("qos", "congestion-control", profile, "traffic-class", strconv.Itoa(cos))
	if ecn, _ := class["ecn"].(string); ecn != "enable" && ecn != "enabled" {
		return 0, false
	}
	low, ok := class["min-threshold"].(int64)
	step := int64(64 * cells[n.Spectrum-1])
	return int((low + step - 1) / step * step), ok
}
