package sim

import (
	"cmp"
	"strconv"

	"github.com/rocec/rocec/targets/target"
)

var (
	_ target.Marker = (*NVUE)(nil)
	_ target.Pauser = (*NVUE)(nil)
)

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

// Pause implements [target.Pauser] with the settings of the chip. The counter of drops has no priority.
func (n *NVUE) Pause(port string, cos int, packets uint64) uint64 {
	eff := n.programmed(port)
	pfc, priority := pausing(eff, cmp.Or(bonds(eff)[port], port), "pfc"), strconv.Itoa(cos)
	if _, lossless := pfc.sub("switch-priority")[priority]; !lossless || pfc.text("tx") == "disable" || pfc.text("tx") == "disabled" {
		n.m.Count(port, "HwIfInBufferDrops", packets)
		return 0
	}
	n.m.Count(port, "HwIfOutPfc"+priority+"Pkt", packets)
	return packets
}
