package validate_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/proof"
)

// clos is a leaf/spine fabric with one host per leaf, routed by shortest paths, as a person would write it.
func clos(leaves, spines, failures int) []byte {
	return fmt.Appendf(nil, `
fabric "clos" {
  routing      = "shortest-path"
  failures     = %[3]d
  cable_length = "5m"
}
cos_group "rdma" {
  cos      = 4
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
switch_model "big" {
  asic  = "spectrum"
  ports = 128
  speed = "100G"
}
switch "leaf" {
  names   = "leaf[1-%[1]d]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
}
switch "spine" {
  names   = "spine[1-%[2]d]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
}
host "gpu" {
  names = "gpu[1-%[1]d]"
  nic "eth0" { model = "connectx-5" }
}
link "hosts" {
  a = "gpu[1-%[1]d]:eth0"
  b = "leaf[1-%[1]d]:swp128"
}
mesh "uplinks" {
  lower = "leaf[1-%[1]d]:swp[1-%[2]d]"
  upper = "spine[1-%[2]d]:swp[1-%[1]d]"
}
`, leaves, spines, failures)
}

// TestVerdictsOfWrittenFabrics uses the whole pipeline, from HCL over the compiler's routes. The fewest failures that make a leaf/spine
// fabric prone are equal to its number of spines.
func TestVerdictsOfWrittenFabrics(t *testing.T) {
	for _, tt := range []struct {
		leaves, spines, failures int
		want                     validate.Verdict
	}{
		{4, 2, 0, validate.Free},
		{4, 2, 1, validate.Free},
		{4, 2, 2, validate.Prone},
		{6, 2, 2, validate.Prone},
		{4, 3, 2, validate.Free},
		{4, 3, 3, validate.Prone},
		{3, 3, 3, validate.Free}, // traffic that bounces off two leaves needs two other leaves
		{32, 8, 1, validate.Free},
		{32, 8, 7, validate.Free},
		{32, 8, 8, validate.Prone},
	} {
		t.Run(fmt.Sprintf("LS%dx%d, %d down", tt.leaves, tt.spines, tt.failures), func(t *testing.T) {
			r := validate.Run(compilertest.Compile(t, clos(tt.leaves, tt.spines, tt.failures)), nil)
			require.Len(t, r.Proofs, 1)
			p := r.Proofs[0]
			assert.Equal(t, tt.want, p.Verdict, p.Why())
			switch tt.want {
			case validate.Free:
				require.Len(t, r.Diagnostics, 1)
				assert.Equal(t, "pfc-loop-transient", r.Diagnostics[0].Code)
				assert.Equal(t, proof.ByExact, p.Certificate)
				assert.Equal(t, tt.failures, p.Failures)
			case validate.Prone:
				require.Len(t, r.Diagnostics, 1)
				assert.Len(t, r.Diagnostics[0].Loop, 4)
				assert.Equal(t, tt.failures, p.Failures)
				assert.Contains(t, r.Diagnostics[0].Text, fmt.Sprintf("only when %d links are down:", tt.failures))
			}
		})
	}
}

// TestBondsThatLoseDifferentCables: two hosts are attached to both A and B. One loses its cable to A, the other its cable to B. Then they
// talk over X and Y in both directions, which closes the ring together with traffic between X and Y. No other two failures close it. The
// hosts are equal, but both must be tried.
func TestBondsThatLoseDifferentCables(t *testing.T) {
	fabric := func(failures int) []byte {
		return fmt.Appendf(nil, `
fabric "bonds" {
  routing      = "shortest-path"
  failures     = %d
  cable_length = "5m"
}
cos_group "storage" {
  cos      = 4
  lossless = true
}
roce "all" {
  version   = 1
  cos_group = cos_group.storage
  members   = [host.both, host.one]
  vlan      = 100
}
switch "sw" {
  names   = "a,b,x,y"
  model   = "sn2700"
  version = "4.3.0"
}
host "both" {
  names = "both[1-2]"
  nic "e0" { model = "connectx-5" }
  nic "e1" { model = "connectx-5" }
  bond "bond0" {
    nics = ["e0", "e1"]
    mode = "802.3ad"
  }
}
host "one" {
  names = "one[1-2]"
  nic "e0" { model = "connectx-5" }
}
link "ring" {
  a      = "a:swp1,a:swp2,b:swp1,b:swp2"
  b      = "x:swp1,y:swp1,x:swp2,y:swp2"
  routed = false
}
link "hosts" {
  a = "both[1-2]:e0,both[1-2]:e1,one1:e0,one2:e0"
  b = "a:swp[11-12],b:swp[11-12],x:swp11,y:swp11"
}
`, failures)
	}
	p := validate.Run(compilertest.Compile(t, fabric(1)), nil).Proofs[0]
	assert.Equal(t, validate.Free, p.Verdict, p.Why())
	r := validate.Run(compilertest.Compile(t, fabric(2)), nil)
	assert.Equal(t, validate.Prone, r.Proofs[0].Verdict, r.Proofs[0].Why())
	assert.Equal(t, 2, r.Proofs[0].Failures)
	require.NotEmpty(t, r.Diagnostics)
	assert.Len(t, r.Diagnostics[0].Loop, 4)
}

// TestTwoRunsPrintTheSame compiles and judges the same text twice.
func TestTwoRunsPrintTheSame(t *testing.T) {
	print := func() string {
		var b bytes.Buffer
		src := clos(5, 2, 2)
		p := diag.Printer{Files: map[string][]byte{"fabric.hcl": src}}
		require.NoError(t, p.Print(&b, validate.Run(compilertest.Compile(t, src), nil).Diagnostics))
		return b.String()
	}
	first := print()
	assert.Contains(t, first, "only when 2 links are down:")
	for range 3 {
		assert.Equal(t, first, print())
	}
}

// BenchmarkExact64x16 proves a leaf/spine fabric of 64 x 16 by its routes, healthy.
func BenchmarkExact64x16(b *testing.B) {
	f := compilertest.Compile(b, clos(64, 16, 0))
	for b.Loop() {
		if p := validate.Run(f, nil).Proofs[0]; p.Verdict != validate.Free {
			b.Fatal(p.Why())
		}
	}
}

// BenchmarkAnyOneDown64x16 proves it with any of its 1,024 links down.
func BenchmarkAnyOneDown64x16(b *testing.B) {
	f := compilertest.Compile(b, clos(64, 16, 1))
	for b.Loop() {
		if p := validate.Run(f, nil).Proofs[0]; p.Verdict != validate.Free || p.Failures != 1 {
			b.Fatal(p.Why())
		}
	}
}
