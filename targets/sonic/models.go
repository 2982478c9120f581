package sonic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// model is a row of the table of models that SONiC runs on.
type model struct {
	platforms string          // the model's folders in SONiC's source, separated by spaces: "x86_64-mlnx_msn2700-r0"
	hwskus    string          // the hwskus in these folders, separated by spaces
	since     grammar.Release // the first branch that rocec knows and that has one of the folders
	names     []run           // of its ports
	aliases   aliases         // the aliases of its ports
}

// aliases is the form of the aliases of ports.
type aliases int

const (
	letters aliases = 1 << iota // etp1; parts of a split port are etp1a, etp1b
	lanes                       // Ethernet1/1; the parts have the number of their first lane: Ethernet1/1, Ethernet1/3
)

// Platforms returns the platforms of a model, as named in DEVICE_METADATA and /etc/machine.conf. None: SONiC does not run on the model,
// or the table lacks it.
func Platforms(m *platform.Switch) []string { return strings.Fields(models()[m.Name].platforms) }

// HwSKUs returns the hwskus of a model. None: SONiC does not run on the model, or the table lacks it.
func HwSKUs(m *platform.Switch) []string { return strings.Fields(models()[m.Name].hwskus) }

// FindPlatform returns the model of a platform, or nil if the table lacks it.
func FindPlatform(name string) *platform.Switch {
	for _, m := range platform.Switches {
		if slices.Contains(Platforms(m), name) {
			return m
		}
	}
	return nil
}

// Mismatch returns a sentence that explains why a switch that reports a platform and a hwsku is not of a model. The sentence is empty if
// the switch may be of that model. It is always empty for a model that the fabric declares. A hwsku outside the table counts as made by
// the operator for the platform.
func Mismatch(m *platform.Switch, platformName, hwsku string) string {
	if !isKnown(m) {
		return ""
	}
	said := fmt.Sprintf("It reports the platform %q and the hwsku %q", diag.Cut(diag.Escape(platformName)), diag.Cut(diag.Escape(hwsku)))
	of := Platforms(m)
	if !slices.Contains(of, platformName) {
		if other := FindPlatform(platformName); other != nil {
			return fmt.Sprintf("%s: that is %s, and the fabric has %s.", said, other.Title, m.Title)
		}
		return fmt.Sprintf("%s, and the platform of %s is %s.", said, m.Title, diag.Or(of))
	}
	if slices.Contains(HwSKUs(m), hwsku) {
		return ""
	}
	for _, name := range modelNames() {
		if other, _ := platform.FindSwitch(name); other != m && slices.Contains(HwSKUs(other), hwsku) {
			return fmt.Sprintf("%s. That is a hwsku of %s, and the fabric has %s.", said, other.Title, m.Title)
		}
	}
	return ""
}

// usual returns the release for a draft: the newest, or the first one that runs on the model if that is newer.
func usual(m *platform.Switch) string {
	b, _ := parseBranch(newest)
	return max(b, models()[m.Name].since).String()
}

// runs reports whether rocec writes for a release and the release runs on a model. For the model nil it need not run on any.
func runs(m *platform.Switch, version string) bool {
	b, ok := parseBranch(version)
	if !ok || sayBranch(version) != "" {
		return false
	}
	if m == nil || !isKnown(m) {
		return true
	}
	row, listed := models()[m.Name]
	return listed && b >= row.since
}

// CheckModel checks whether SONiC runs on the model of a switch, and whether its release does. It accepts any model that the fabric
// declares.
func CheckModel(d *ir.Device) (ds diag.List) {
	m := d.Switch.Model
	if !isKnown(m) {
		return nil
	}
	row, runs := models()[m.Name]
	if !runs {
		e := topicModel.Errorf(&ds, diag.FirstPlace(d.Switch.ModelAt, d.Decl), "The switches of switch %q are %s and run SONiC. Its "+
			"images have no folder for that model, so its port names and its buffers are unknown. They have folders for %s; switches "+
			"with several chips are left out.", d.Group, m.Title, strings.Join(modelNames(), ", "))
		e.Fix = &diag.Fix{Message: "correct the model or the os; a switch that others configure is described by a by_hand block"}
		return ds
	}
	b, ok := parseBranch(d.Switch.Version)
	if !ok || b < grammar.First || b >= row.since {
		return nil
	}
	e := topicModel.Errorf(&ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl), "The switches of switch %q are %s and run SONiC %s. The "+
		"first branch with a folder for that model is %s. Model or version is wrong: compare with `show platform summary` and `show "+
		"version` there.", d.Group, m.Title, b, row.since)
	e.Note(d.Switch.ModelAt, "the model is stated here")
	e.Fix = &diag.Fix{Message: fmt.Sprintf("correct model or version, or upgrade the switches to %s or later", row.since)}
	return ds
}

// CheckRelease checks whether rocec writes for the release of a switch.
func CheckRelease(d *ir.Device) (ds diag.List) {
	if wrong := sayBranch(d.Switch.Version); wrong != "" {
		topicRelease.Errorf(&ds, diag.FirstPlace(d.Switch.VersionAt, d.Decl), "%s", wrong)
	}
	return ds
}

// modelNames returns the sorted names of the models that SONiC runs on.
func modelNames() []string {
	var out []string
	for _, name := range platform.SwitchNames() {
		if _, ok := models()[name]; ok {
			out = append(out, name)
		}
	}
	return out
}
