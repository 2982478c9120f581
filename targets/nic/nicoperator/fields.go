package nicoperator

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// Commit is the version of the operator's repository from which the fields are: github.com/Mellanox/nic-configuration-operator.
//
// The paths there are config/crd/bases/configuration.net.nvidia.com_nicconfigurationtemplates.yaml and
// configuration.net.nvidia.com_nicdevices.yaml, which are generated from api/v1alpha1. The effect of a field is in
// pkg/configuration/configvalidation.go, manager.go and utils.go, and in pkg/dms/client.go.
const Commit = "8bfbeb34ba25215dd06402cd01bae0108341a8d4"

// Type is the type of a field in the schema.
type Type uint8

// The types.
const (
	Text   Type = iota // a string
	Whole              // an integer
	Switch             // a boolean
	Group              // an object
	List               // an array
	Labels             // an object with any keys, whose values are strings
)

// Field is a field of an object, with its limits in the schema.
type Field struct {
	Path     string // from the object, or from the template; [] is an element of a list
	Type     Type
	Required bool     // the object around it must have it
	Among    []string // the only values; nil: any
	Least    int      // of a number, if Bounded
	Most     int      // the same; 0: no limit
	Bounded  bool
	Longest  int    // bytes of a string, or elements of a list; 0: no limit
	Pattern  string // of a string; empty: any

	// Means is the field of [ir.Settings] that it sets; if it sets no field, Aside is the reason.
	Means ir.Field
	Aside string

	form *regexp.Regexp // of Pattern
}

// The reasons why fields set no field of the settings, beside those of package nic.
const (
	decides  = "it decides whether other fields have an effect"
	firmware = "a parameter of the firmware has no field"
	selects  = "it selects NICs or nodes"
	tunes    = "it tunes the NIC, and decides no priority"
	about    = "it describes the NIC"
)

// templateFields are the fields of a template: spec.template of a NicConfigurationTemplate, and spec.configuration.template of a NicDevice.
var templateFields = []Field{
	{Path: "force", Type: Switch, Aside: tunes},
	{Path: "gpuDirectOptimized", Type: Group},
	{Path: "gpuDirectOptimized.enabled", Type: Switch, Required: true, Aside: tunes},
	{Path: "gpuDirectOptimized.env", Type: Text, Required: true, Aside: tunes},
	{Path: "linkType", Type: Text, Among: []string{"Ethernet", "Infiniband"}, Aside: tunes},
	{Path: "networkBay", Type: Group},
	{Path: "networkBay.conf", Type: Text, Required: true, Aside: tunes},
	{Path: "numVfs", Type: Whole, Required: true, Aside: tunes},
	{Path: "pciPerformanceOptimized", Type: Group},
	{Path: "pciPerformanceOptimized.enabled", Type: Switch, Required: true, Aside: tunes},
	{Path: "pciPerformanceOptimized.maxAccOutRead", Type: Whole, Aside: tunes},
	{Path: "pciPerformanceOptimized.maxReadRequest", Type: Whole, Among: []string{"128", "256", "512", "1024", "2048", "4096"}, Aside: tunes},
	{Path: "rawNvConfig", Type: List, Longest: 128},
	{Path: "rawNvConfig[]", Type: Group},
	{Path: "rawNvConfig[].name", Type: Text, Required: true, Longest: 64, Aside: firmware},
	{Path: "rawNvConfig[].value", Type: Text, Required: true, Longest: 128, Aside: firmware},
	{Path: "roceOptimized", Type: Group},
	{Path: "roceOptimized.enabled", Type: Switch, Required: true, Aside: decides},
	{Path: "roceOptimized.qos", Type: Group},
	{Path: "roceOptimized.qos.cableLen", Type: Whole, Means: ir.FieldCable},
	{Path: "roceOptimized.qos.ecn", Type: Group},
	{Path: "roceOptimized.qos.ecn.enabled", Type: Switch, Required: true, Aside: nic.Congestion},
	{Path: "roceOptimized.qos.ecn.priority", Type: Whole, Required: true, Bounded: true, Least: 0, Most: 7, Aside: nic.Congestion},
	{Path: "roceOptimized.qos.pauseFrames", Type: Group},
	{Path: "roceOptimized.qos.pauseFrames.enabled", Type: Switch, Required: true, Means: ir.FieldLinkPause},
	{Path: "roceOptimized.qos.pfc", Type: Text, Required: true, Pattern: `^([01],){7}[01]$`, Means: ir.FieldPauses},
	{Path: "roceOptimized.qos.tos", Type: Whole, Means: ir.FieldStamps},
	{Path: "roceOptimized.qos.trust", Type: Text, Required: true, Means: ir.FieldTrust},
	{Path: "roceOptimized.roceMode", Type: Whole, Among: []string{"1", "2"}, Aside: nic.NoPriority},
	{Path: "runtimePerformanceOptimized", Type: Group},
	{Path: "runtimePerformanceOptimized.combinedChannels", Type: Whole, Bounded: true, Least: 1, Aside: tunes},
	{Path: "runtimePerformanceOptimized.enabled", Type: Switch, Required: true, Aside: tunes},
	{Path: "runtimePerformanceOptimized.lro", Type: Switch, Aside: tunes},
	{Path: "runtimePerformanceOptimized.rxRingSize", Type: Whole, Bounded: true, Least: 1, Aside: tunes},
	{Path: "runtimePerformanceOptimized.txRingSize", Type: Whole, Bounded: true, Least: 1, Aside: tunes},
	{Path: "spectrumXOptimized", Type: Group},
	{Path: "spectrumXOptimized.enabled", Type: Switch, Required: true, Aside: tunes},
	{Path: "spectrumXOptimized.multiplaneMode", Type: Text, Among: []string{"none", "swplb", "hwplb"}, Aside: tunes},
	{Path: "spectrumXOptimized.numberOfPlanes", Type: Whole, Among: []string{"1", "2", "4"}, Aside: tunes},
	{Path: "spectrumXOptimized.overlay", Type: Text, Among: []string{"l3", "none"}, Aside: tunes},
	{Path: "spectrumXOptimized.platformType", Type: Text, Aside: tunes},
	{Path: "spectrumXOptimized.version", Type: Text, Required: true, Aside: tunes},
}

// kinds are the kinds with their other fields.
var kinds = [...]struct {
	name, template string // the path of the template
	own            []Field
}{
	{name: KindTemplate, template: "spec.template", own: []Field{
		{Path: "spec", Type: Group},
		{Path: "spec.nicSelector", Type: Group, Required: true},
		{Path: "spec.nicSelector.nicType", Type: Text, Required: true, Aside: selects},
		{Path: "spec.nicSelector.partNumbers", Type: List},
		{Path: "spec.nicSelector.partNumbers[]", Type: Text, Aside: selects},
		{Path: "spec.nicSelector.pciAddresses", Type: List},
		{Path: "spec.nicSelector.pciAddresses[]", Type: Text, Pattern: `^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`, Aside: selects},
		{Path: "spec.nicSelector.serialNumbers", Type: List},
		{Path: "spec.nicSelector.serialNumbers[]", Type: Text, Aside: selects},
		{Path: "spec.nodeSelector", Type: Labels, Aside: selects},
		{Path: "spec.resetToDefault", Type: Switch, Aside: selects},
		{Path: "spec.template", Type: Group, Required: true},
		{Path: "status", Type: Group},
		{Path: "status.conditions", Type: List},
		{Path: "status.conditions[]", Type: Group},
		{Path: "status.nicDevices", Type: List},
		{Path: "status.nicDevices[]", Type: Text, Aside: selects},
	}},
	{name: KindDevice, template: "spec.configuration.template", own: []Field{
		{Path: "spec", Type: Group},
		{Path: "spec.configuration", Type: Group},
		{Path: "spec.configuration.resetToDefault", Type: Switch, Aside: about},
		{Path: "spec.configuration.template", Type: Group},
		{Path: "spec.firmware", Type: Group},
		{Path: "spec.firmware.nicFirmwareSourceRef", Type: Text, Required: true, Aside: about},
		{Path: "spec.firmware.updatePolicy", Type: Text, Required: true, Among: []string{"Validate", "Update"}, Aside: about},
		{Path: "spec.interfaceNameTemplate", Type: Group},
		{Path: "spec.interfaceNameTemplate.netDevicePrefix", Type: Text, Required: true, Aside: about},
		{Path: "spec.interfaceNameTemplate.nicIndex", Type: Whole, Required: true, Aside: about},
		{Path: "spec.interfaceNameTemplate.planeIndices", Type: List, Required: true},
		{Path: "spec.interfaceNameTemplate.planeIndices[]", Type: Whole, Aside: about},
		{Path: "spec.interfaceNameTemplate.railIndex", Type: Whole, Required: true, Aside: about},
		{Path: "spec.interfaceNameTemplate.rdmaDevicePrefix", Type: Text, Aside: about},
		{Path: "status", Type: Group},
		{Path: "status.conditions", Type: List},
		{Path: "status.conditions[]", Type: Group},
		{Path: "status.dpu", Type: Switch, Required: true, Aside: about},
		{Path: "status.firmwareVersion", Type: Text, Required: true, Aside: about},
		{Path: "status.modelName", Type: Text, Required: true, Aside: about},
		{Path: "status.networkBay", Type: Group},
		{Path: "status.networkBay.asic", Type: Whole, Required: true, Aside: about},
		{Path: "status.networkBay.peerPci", Type: Text, Aside: about},
		{Path: "status.node", Type: Text, Required: true, Aside: about},
		{Path: "status.partNumber", Type: Text, Required: true, Aside: about},
		{Path: "status.ports", Type: List, Required: true},
		{Path: "status.ports[]", Type: Group},
		{Path: "status.ports[].fwctlDevice", Type: Text, Aside: about},
		{Path: "status.ports[].networkInterface", Type: Text, Aside: about},
		{Path: "status.ports[].pci", Type: Text, Required: true, Aside: about},
		{Path: "status.ports[].rdmaInterface", Type: Text, Aside: about},
		{Path: "status.psid", Type: Text, Required: true, Aside: about},
		{Path: "status.serialNumber", Type: Text, Required: true, Aside: about},
		{Path: "status.superNIC", Type: Switch, Required: true, Aside: about},
		{Path: "status.type", Type: Text, Required: true, Aside: about},
	}},
}

// fieldSet contains the fields of a kind.
type fieldSet struct {
	at       string // the path of the template, with a dot
	all      []Field
	byPath   map[string]*Field
	required map[string][]string // names, by path of the object around them
	inside   map[string]bool     // paths of objects with a field in the table
}

// made has the sets of fields by kind, after their first use.
var made struct {
	once sync.Once
	sets map[string]*fieldSet
}

// fields returns the sets of fields by kind.
func fields() map[string]*fieldSet {
	made.once.Do(func() { made.sets = makeFields() })
	return made.sets
}

func makeFields() map[string]*fieldSet {
	out := map[string]*fieldSet{}
	for _, kind := range kinds {
		s := &fieldSet{
			at: kind.template + ".", all: slices.Clone(kind.own), byPath: map[string]*Field{}, required: map[string][]string{},
			inside: map[string]bool{},
		}
		for _, f := range templateFields {
			f.Path = s.at + f.Path
			s.all = append(s.all, f)
		}
		slices.SortFunc(s.all, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
		for i := range s.all {
			f := &s.all[i]
			if s.byPath[f.Path] = f; f.Pattern != "" {
				f.form = regexp.MustCompile(f.Pattern)
			}
			at := strings.LastIndexByte(f.Path, '.')
			if at < 0 {
				continue
			}
			if s.inside[f.Path[:at]] = true; f.Required {
				s.required[f.Path[:at]] = append(s.required[f.Path[:at]], f.Path[at+1:])
			}
		}
		out[kind.name] = s
	}
	return out
}
