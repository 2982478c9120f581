package deploy

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// parted splits the diagnostics of an edit into warnings and the rest.
func parted(ds diag.List) (rest, warnings diag.List) {
	for _, d := range ds {
		if d.Severity == diag.Warning {
			warnings = append(warnings, d)
		} else {
			rest = append(rest, d)
		}
	}
	return rest, warnings
}

// errorTexts joins the details of all errors.
func errorTexts(ds diag.List) string {
	var texts []string
	for _, d := range ds {
		if d.Severity == diag.Error {
			texts = append(texts, d.Detail)
		}
	}
	return strings.Join(texts, " ")
}

func firstError(ds diag.List) *diag.Diagnostic {
	return ds[slices.IndexFunc(ds, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })]
}

func firstText(ds diag.List) string {
	d := firstError(ds)
	return d.Summary + ": " + d.Detail
}
