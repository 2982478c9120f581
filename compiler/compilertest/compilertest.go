// Package compilertest compiles fabrics as a person writes them, for the tests of packages that use compiled fabrics. It compiles with the
// systems and NICs of package targets.
package compilertest

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/targets"
)

// Compile loads and compiles a fabric of one file, fabric.hcl, with variables in the form of --var ("k=v"). Any diagnostic ends the test.
func Compile[Text string | []byte](t testing.TB, text Text, vars ...string) *ir.Fabric {
	t.Helper()
	fsys := fstest.MapFS{"fabric.hcl": {Data: []byte(text)}}
	langtest.Dump(t, fsys, langtest.Vars(vars)...)
	return Folder(t, fsys, ".", vars...)
}

// Folder is [Compile] for a folder of fsys.
func Folder(t testing.TB, fsys fs.FS, dir string, vars ...string) *ir.Fabric {
	t.Helper()
	src, ds := lang.Load(fsys, dir, lang.Options{Vars: vars})
	refuse(t, src, ds)
	f, ds := compiler.Compile(src, targets.Known)
	refuse(t, src, ds)
	return f
}

// refuse ends the test if there are diagnostics, and prints them as rocec prints them for a person.
func refuse(t testing.TB, src *lang.Source, ds diag.List) {
	t.Helper()
	if len(ds) > 0 {
		var b strings.Builder
		(&diag.Printer{Files: src.Files}).Print(&b, ds) //nolint:errcheck // a builder takes everything
		t.Fatal(b.String())
	}
}
