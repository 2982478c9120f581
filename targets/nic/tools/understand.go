package tools

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// readable contains the known forms. A new form only needs a file and an entry here.
var readable = sync.OnceValue(func() *toolbox {
	return newToolbox(mlnxQos, dcb, ethtool, niccli, nicctl, lldptool, rdmaTool, ibdev, gids, cmaTOS, cmaMode, sysfs, dmesg, ipTool, vconfig,
		netQosFlowControl, netQosTrafficClass, netQosDcbxSetting, netQosLists, netAdapterProperty, netOther, netSets, esxcli)
})

// Understand reads the captures, scripts and value files of a host, by path. Ports are interfaces of NICs. Identity.Ports may name them:
// if it names one NIC, output without an interface is about this NIC. The index of Where is the value for a DSCP, and a priority, a
// traffic class or a buffer for other fields.
func Understand(id target.Identity, contents map[string][]byte) *target.Understood {
	h := understand(id, contents, false)
	places := sync.OnceValue(func() map[place]diag.Range { return understand(id, contents, true).places })
	return &target.Understood{
		Settings: h.settings(),
		Coverage: h.coverage,
		Host:     prompted(contents),
		Where: func(port string, f ir.Field, index int) (diag.Range, bool) {
			for _, at := range []place{{port, f, index}, {port, f, -1}} {
				if found, ok := places()[at]; ok {
					return found, true
				}
			}
			return diag.Range{}, false
		},
	}
}

// understand reads all files. It reads them twice if a file names a device whose interface is only in a later file.
func understand(id target.Identity, contents map[string][]byte, places bool) *host {
	h := &host{box: readable(), id: id, places: map[place]diag.Range{}, wherever: places}
	h.read(contents)
	if h.unresolved && len(h.netdevs)+len(h.aliases) > 0 {
		h = &host{
			box: h.box, id: id, places: map[place]diag.Range{}, wherever: places, netdevs: h.netdevs, drivers: h.drivers,
			aliases: h.aliases,
		}
		h.read(contents)
	}
	h.finish()
	return h
}
