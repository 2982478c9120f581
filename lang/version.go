package lang

import (
	"github.com/hashicorp/go-version"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/parse"
)

// constraint is a condition on the version of rocec.
var constraint = eval.Kind[string]{
	Name: "version constraint", Want: `a version constraint such as ">= 0.12, < 0.14"`,
	Read: func(v cty.Value) (string, *eval.Problem) {
		if v.Type() != cty.String {
			return "", eval.Mistyped
		}
		s := v.AsString()
		if _, err := version.NewConstraint(s); err != nil || len(s) > 255 {
			return "", eval.Problemf(&eval.BadValue, "%q is not a version constraint. Write one such as \">= 0.12, < 0.14\": conditions separated "+
				"by "+
				"commas, each a version after =, !=, >, >=, <, <= or ~>.", diag.Cut(s))
		}
		return s, nil
	},
}

// meets reports whether a release of rocec meets a constraint. known is false for a build that is not a release.
func meets(release, c string) (met, known bool) {
	this, err := version.NewVersion(release)
	if err != nil {
		return true, false
	}
	want, err := version.NewConstraint(c)
	return err == nil && want.Check(this), true
}

// refused reports whether a literal required_version excludes this rocec, and adds the diagnostic. The caller then reports no other
// mistakes, since these may be features that this rocec does not know yet.
func (l *loader) refused(ds *diag.List) bool {
	for _, b := range l.root.blocks["fabric"] {
		a, written := b.Body.Attributes["required_version"]
		if !written {
			continue
		}
		v, ok := parse.Literal(parse.Bare(a.Expr))
		if !ok || v.IsNull() {
			continue
		}
		if c, p := constraint.Read(v); p == nil {
			if met, _ := meets(l.options.Version, c); !met {
				l.checkVersion(Value[string]{c, a.Expr.Range()}, ds)
				return true
			}
		}
	}
	return false
}

// checkVersion reports a constraint that this rocec does not meet, or a constraint that cannot be checked for this build.
func (l *loader) checkVersion(c Value[string], ds *diag.List) {
	if !c.Set() {
		return
	}
	switch met, known := meets(l.options.Version, c.V); {
	case !known:
		requiredVersion.Noticef(ds, c.At, "The fabric requires rocec %s. This build is not a release, so it is unknown whether it "+
			"meets the constraint. Use a release where bytes matter.", c.V)
	case !met:
		requiredVersion.Errorf(ds, c.At, "The fabric requires rocec %s, but this is %s. Use a release that meets the constraint; or "+
			"change required_version after you have read the plan of this release.", c.V, l.options.Version)
	}
}
