package main

import (
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/validate"
)

// ignorable says what a rocec:ignore comment can do about a code: findings of checks are for the person to judge, errors of
// other rooms leave nothing to go on with, and a PFC loop is accepted in its cos_group only.
var ignorable = sync.OnceValue(func() map[string]lang.Ignorable {
	kinds := map[string]lang.Ignorable{}
	put := func(topics []diag.Topic, kind lang.Ignorable) {
		for _, t := range topics {
			kinds[t.Code] = kind
			if strings.HasPrefix(t.Code, "ignore-") {
				kinds[t.Code] = lang.Never
			}
		}
	}
	put(lang.Topics, lang.UnlessError)
	put(compiler.Topics, lang.UnlessError)
	put(targets.Topics, lang.UnlessError)
	put(conflint.Topics, lang.Never)
	put(deploy.Topics, lang.Never)
	for _, c := range validate.Checks {
		kinds[c.Code] = lang.Always
	}
	kinds[validate.PFCLoop.Code] = lang.Never
	return kinds
})

// suppress takes out what comments in the fabric silence. Judged tells that every stage has run.
func (f *fabric) suppress(judged bool) {
	f.diags, f.ignored = f.src.Suppress(f.diags, ignorable(), judged)
}
