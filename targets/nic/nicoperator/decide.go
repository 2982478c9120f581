package nicoperator

import (
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// The values that the operator uses if roceOptimized has no qos. Source: CalculateDesiredRuntimeConfig in configvalidation.go.
const (
	usualTrust = "dscp"
	usualPFC   = "0,0,0,1,0,0,0,0"
)

// at records the index of a value by its path in the template.
func (o *Object) at(path string, index int) {
	if rest, is := strings.CutPrefix(path, fields()[o.Kind].at); is {
		if o.indexes == nil {
			o.indexes = map[string]int{}
		}
		o.indexes[rest] = index
	}
}

// value returns the value at a path in the template; nil: not stated.
func (o *Object) value(path string) *Stated {
	if i, is := o.indexes[path]; is {
		return &o.Values[i]
	}
	return nil
}

// is reports whether the template states a value at a path.
func (o *Object) is(path, text string) bool {
	v := o.value(path)
	return v != nil && strings.EqualFold(v.Text, text)
}

// decide changes the values to those that have an effect. stated reports whether the template has qos. Source: configvalidation.go and
// manager.go of the operator.
func (o *Object) decide(stated bool) {
	const roce = "roceOptimized."
	off := ""
	switch {
	case o.is("linkType", "Infiniband"):
		off = "it has no effect on InfiniBand"
	case !o.is(roce+"enabled", "true"):
		off = "it has no effect while roceOptimized is not enabled"
	}
	for path, i := range o.indexes {
		v := &o.Values[i]
		switch {
		case v.Means == ir.NoField:
		case off != "":
			v.Means, v.Aside = ir.NoField, off
		case (path == roce+"qos.tos" || path == roce+"qos.cableLen") && v.Text == "0":
			v.Means, v.Aside = ir.NoField, "the operator does not set it if it is 0"
		}
	}
	if v := o.value(roce + "qos.trust"); v != nil && off == "" && v.Text != "dscp" && v.Text != "pfc" {
		o.Wrong = append(o.Wrong, Wrong{v.Row, "the operator accepts only dscp and pfc", v.Line})
		v.Means, v.Aside = ir.NoField, "the operator refuses the value"
	}
	if v := o.value(roce + "enabled"); off == "" && !stated {
		o.Values = append(o.Values, Stated{v.Row, usualTrust, ir.FieldTrust, "", v.Line}, Stated{v.Row, usualPFC, ir.FieldPauses, "", v.Line})
	}
	if o.is("spectrumXOptimized.enabled", "true") {
		v := o.value("spectrumXOptimized.enabled")
		o.Wrong = append(o.Wrong, Wrong{v.Row, "the profile of Spectrum-X decides the settings of RoCE, and it is not in the object", v.Line})
	}
}
