package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/picture"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// Equal ports, NICs and switches share their values. So no code that uses a fabric may modify it: a change of one port would change
// others.
func TestUsingAFabricDoesNotChangeIt(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*/fabric.hcl")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, name := range examples {
		dir := filepath.Dir(name)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			a := newApp(&person.Person{Getenv: os.Getenv})
			f, err := a.Load(dir)
			require.NoError(t, err)
			require.NotNil(t, f.Fabric)
			before := fingerprint(f.Fabric)

			validate.Run(f.Fabric, a.Steps())
			targets.Check(f.Fabric)
			for _, d := range f.Tree().Devices {
				for _, file := range d.Files {
					data, _ := file.Edit(nil)
					if file.Keys == nil {
						continue
					}
					for _, k := range file.Keys(data) {
						if file.Why != nil {
							file.Why(k.Name)
						}
					}
				}
			}
			for _, d := range f.Fabric.Devices {
				facts.Device(&walk.Settings{}, targets.FilesOf(d), d)
			}
			for _, p := range f.Fabric.Ports {
				facts.Port(&walk.Settings{}, p)
			}
			for _, p := range picture.Formats {
				p.Write(f.Fabric, f.Proofs)
			}
			assert.Equal(t, before, fingerprint(f.Fabric))

			// The fingerprint includes the values that ports share.
			for _, p := range f.Fabric.Ports {
				if len(p.Buffers()) > 0 && p.NIC == nil {
					p.Buffers()[0].Size.From[0].Origin.Why += "!"
					assert.NotEqual(t, before, fingerprint(f.Fabric))
					break
				}
			}
		})
	}
}

// fingerprint returns a hash of all values of a fabric, and of which values are shared. It leaves out the router, which caches its
// results.
func fingerprint(f *ir.Fabric) uint64 {
	h := fnv.New64a()
	plain := *f
	plain.Routes = nil
	seen := map[any]int{}
	sum(h, reflect.ValueOf(&plain), seen)
	return h.Sum64()
}

func sum(w io.Writer, v reflect.Value, seen map[any]int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			fmt.Fprint(w, "nil;")
			return
		}
		at := [2]any{v.Pointer(), v.Type()}
		if n, ok := seen[at]; ok {
			fmt.Fprintf(w, "@%d;", n)
			return
		}
		seen[at] = len(seen)
		sum(w, v.Elem(), seen)
	case reflect.Struct:
		for _, field := range v.Fields() {
			sum(w, field, seen)
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(w, "[%d:", v.Len())
		for i := range v.Len() {
			sum(w, v.Index(i), seen)
		}
	case reflect.Map:
		keys := map[string]reflect.Value{}
		for _, k := range v.MapKeys() {
			keys[fmt.Sprint(k)] = k
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			fmt.Fprintf(w, "%s=", k)
			sum(w, v.MapIndex(keys[k]), seen)
		}
	case reflect.Func, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		fmt.Fprintf(w, "%t;", v.IsNil())
	default:
		fmt.Fprintf(w, "%v;", v)
	}
}
