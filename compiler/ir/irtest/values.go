package irtest

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// Value is a value of settings. Its name is a path of members, such as Groups[3].Xoff.
type Value struct {
	Field ir.Field
	Of    any // nil: unknown
	Is    ir.Knowledge
}

// fieldOf maps every member of settings that holds a value, without the index, to its field. A member that is missing here makes
// [PortValues] panic.
var fieldOf = map[string]ir.Field{
	"Trust": ir.FieldTrust, "DSCP": ir.FieldDSCP, "PCP": ir.FieldPCP, "Sends": ir.FieldPauses, "Obeys": ir.FieldPauses,
	"LinkPause": ir.FieldLinkPause, "Headroom": ir.FieldHeadroom, "Marks": ir.FieldMarking, "Marking": ir.FieldMarking,
	"Strict": ir.FieldStrict, "Share": ir.FieldShare, "Stamps": ir.FieldStamps,

	"Queue": ir.FieldQueue, "Group": ir.FieldGroup, "DefaultCos": ir.FieldDefaultCos, "Shaper": ir.FieldShaper,
	"RewriteDSCP": ir.FieldRewrite, "RewritePCP": ir.FieldRewrite, "AsymmetricPFC": ir.FieldAsymmetricPFC, "Speed": ir.FieldSpeed,
	"Cable": ir.FieldCable, "MTU": ir.FieldMTU, "PFC": ir.FieldPauses, "VLANMap": ir.FieldVLANMap,
	"Watchdog.Action": ir.FieldWatchdog, "Watchdog.Watches": ir.FieldWatchdog, "Watchdog.Poll": ir.FieldWatchdog,
	"Watchdog.Detect": ir.FieldWatchdog, "Watchdog.Restore": ir.FieldWatchdog,

	"Groups.Buffer": ir.FieldBuffer, "Groups.Xoff": ir.FieldXoff, "Groups.Xon": ir.FieldXon, "Groups.XonOffset": ir.FieldXon,
	"Groups.Headroom": ir.FieldHeadroom, "Groups.Limit": ir.FieldGroupLimit, "Groups.Pool": ir.FieldGroupPool,
	"Groups.Lossless": ir.FieldBuffer,

	"Queues.Strict": ir.FieldStrict, "Queues.Share": ir.FieldShare, "Queues.MinRate": ir.FieldMinRate, "Queues.MaxRate": ir.FieldMaxRate,
	"Queues.ECN": ir.FieldMarking, "Queues.MarkMin": ir.FieldMarking, "Queues.MarkMax": ir.FieldMarking,
	"Queues.Probability": ir.FieldMarking, "Queues.Unmarkable": ir.FieldUnmarkable, "Queues.Drop": ir.FieldDrop,
	"Queues.DropMin": ir.FieldDrop, "Queues.DropMax": ir.FieldDrop, "Queues.Limit": ir.FieldQueueLimit, "Queues.Pool": ir.FieldQueuePool,

	"Pool.Size": ir.FieldPool, "Pool.Percent": ir.FieldPool, "Pool.Mode": ir.FieldPool, "Pool.Shared": ir.FieldPool,
	"Pool.Infinite": ir.FieldPool, "System.OS": ir.FieldSystem, "System.Release": ir.FieldSystem, "System.Model": ir.FieldSystem,
	"System.Chip": ir.FieldSystem, "System.Driver": ir.FieldSystem, "System.Firmware": ir.FieldSystem, "System.SKU": ir.FieldSystem,
	"System.Preset": ir.FieldPreset,
}

// values maps names to values.
type values map[string]Value

func (v values) add(name string, of any, is ir.Knowledge) {
	var plain strings.Builder
	for rest := name; rest != ""; {
		head, index, _ := strings.Cut(rest, "[")
		plain.WriteString(head)
		_, rest, _ = strings.Cut(index, "]")
	}
	f, ok := fieldOf[plain.String()]
	if !ok {
		panic("irtest: no field for " + name)
	}
	if is == ir.NotKnown {
		of = nil
	}
	v[name] = Value{f, of, is}
}

// settings adds every [ir.Setting] below a value.
func (v values) settings(name string, of reflect.Value) {
	if strings.HasPrefix(of.Type().Name(), "Setting[") {
		v.add(name, of.FieldByName("Value").Interface(), of.FieldByName("Is").Interface().(ir.Knowledge))
		return
	}
	switch of.Kind() {
	case reflect.Struct:
		for i := range of.NumField() {
			member := of.Type().Field(i).Name
			if name != "" {
				member = name + "." + member
			}
			v.settings(member, of.Field(i))
		}
	case reflect.Array:
		for i := range of.Len() {
			v.settings(fmt.Sprintf("%s[%d]", name, i), of.Index(i))
		}
	case reflect.Int8: // -1 in a cos, a queue or a group means unknown
		v.add(name, of.Interface(), known(of.Int() >= 0))
	case reflect.Bool: // the sides of a pool are part of the pool's name
	default:
		panic("irtest: " + name)
	}
}

func known(is bool) ir.Knowledge {
	if is {
		return ir.Stated
	}
	return ir.NotKnown
}

// PortValues returns every value of a port by its name.
func PortValues(p *ir.PortSettings) map[string]Value {
	v := values{}
	v.add("Trust", p.Trust, known(p.TrustKnown))
	for i, cos := range p.DSCP {
		v.add(fmt.Sprintf("DSCP[%d]", i), cos, known(cos >= 0))
	}
	for i, cos := range p.PCP {
		v.add(fmt.Sprintf("PCP[%d]", i), cos, known(cos >= 0))
	}
	v.add("Sends", p.Sends, known(p.PausesKnown))
	v.add("Obeys", p.Obeys, known(p.PausesKnown))
	v.add("LinkPause", p.LinkPause, known(p.PausesKnown))
	v.add("Headroom", p.Headroom, known(p.Headroom > 0))
	v.add("Marks", p.Marks, ir.Stated)
	v.add("Marking", p.Marking, known(p.Marking != ir.Marking{}))
	v.add("Stamps", p.Stamps, known(p.Stamps != 0))
	for cos := range 8 {
		strict := p.Strict>>cos&1 == 1
		v.add(fmt.Sprintf("Strict[%d]", cos), strict, known(strict || p.Share[cos] > 0))
		v.add(fmt.Sprintf("Share[%d]", cos), p.Share[cos], known(p.Share[cos] > 0))
	}
	v.settings("", reflect.ValueOf(p.Detail.Get()))
	return v
}

// DeviceValues returns every value of a device outside its ports by its name. Names of a pool's values include the pool.
func DeviceValues(s *ir.Settings) map[string]Value {
	v := values{}
	v.settings("System", reflect.ValueOf(s.System))
	for name, p := range s.Pools {
		v.settings("Pool["+name+"]", reflect.ValueOf(p))
	}
	return v
}
