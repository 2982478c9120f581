package tools

import (
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// readable has the forms that are read. No reader of a form names another one by this table: a further form is a file, and a word here.
var readable = sync.OnceValue(func() *toolbox {
	return newToolbox(mlnxQos, dcb, ethtool, niccli, lldptool, rdmaTool, ibdev, gids, cmaTOS, cmaMode, sysfs, dmesg, ipTool, vconfig,
		netQosFlowControl, netQosTrafficClass, netQosDcbxSetting, netQosLists, netAdapterProperty, netOther, netSets, esxcli)
})

// Understand reads the captures, scripts and value files of a host, by path. Ports are interfaces of NICs. Identity.Ports may name
// them: it decides of which NIC an output is that does not say so where the host has one. Where of a DSCP takes the value as index, of
// other fields a priority, a traffic class or a buffer.
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

// understand reads all files; once more where one names a device whose interface a later one states.
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
