package lang

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// keptTexts are texts for the files of a fabric: texts that can be kept, texts that cannot, and texts that prevent the use of kept files.
var keptTexts = []string{
	"",
	"# nothing\n",
	"host \"a\" {\n  names = \"a[1-4]\"\n  nic \"eth[0-1]\" { model = \"connectx-6\" }\n}\n",
	"\n\nhost \"a\" {\n  names = \"a[1-4]\"\n  nic \"eth[0-1]\" { model = \"connectx-6\" }\n}\n",
	"host \"b\" {\n  names = [\"b1\", \"b2\"]\n  nic \"eth0\" { model = \"connectx-6\" }\n}\nhost \"c\" {\n  nic \"eth0\" { model = " +
		"\"connectx-6\" }\n}\n",
	"host \"d\" { names = \"a[3-6]\" }\n",
	"host \"e\" { names = \"e[1-3\" }\n",
	"switch \"s\" {\n  names = \"s[1-3]\"\n  model = \"sn2700\"\n}\n",
	"switch \"s\" {\n  names = \"t[1-3]\"\n  model = \"sn2700\"\n}\nhost \"x\" {}\n",
	"switch \"u\" {\n  names = \"u[1-3]\"\n  tier = self.index + 1\n}\nhost \"y\" {}\n",
	"switch \"v\" {\n  for_each = toset([\"v\", \"w\"])\n  names = \"${each.key}[1-3]\"\n}\n",
	"link \"l\" {\n  a = \"a[1-4]:eth0\"\n  b = \"s1:swp[1-4]\"\n  speed = \"25G\"\n}\n",
	"link \"m\" {\n  a = \"a[1-4]:eth1\"\n  b = \"s2:swp[1-3]\"\n}\n",
	"mesh \"n\" {\n  lower = \"s1:swp[9-10]\"\n  upper = \"s[2-3]:swp9\"\n}\nlink \"o\" {\n  a = \"b1:eth0\"\n  b = \"s3:swp1\"\n}\n",
	"# rocec:ignore incast a test\nhost \"f\" {}\n",
	"host \"g\" {\n",
	"host \"h\" { mtuu = 3 }\n",
	"host \"i\" {\n  forwards = true\n  forwards = true\n}\n",
	"locals { n = 3 }\nhost \"j\" { names = \"j[1-${local.n}]\" }\n",
	"cos_group \"g\" {\n  cos = 3\n  dscp = [26]\n}\nroce \"r\" {\n  version = 2\n  cos_group = cos_group.g\n  members = [host.a, " +
		"host.b]\n}\n",
	"module \"m\" { source = \"./m\" }\n",
	"x = 1\nhost \"k\" {}\n",
	"variable \"v\" { default = 3 }\n",
}

// After any edit, a load that uses kept results gives the same source as a load that reads all files.
func TestKept(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	used, good := 0, 0
	for range 60 {
		kept := &Kept{}
		files := fstest.MapFS{
			"main.hcl": {Data: []byte("fabric \"f\" {}\n")},
			"m/m.hcl":  {Data: []byte(keptTexts[4] + "host \"z\" { names = \"z1\" }\n")},
		}
		o := Options{MaxObjects: []int{0, 0, 40, 12}[rnd.IntN(4)]}
		for range 40 {
			name := fmt.Sprintf("%c.hcl", 'a'+rune(rnd.IntN(6)))
			switch n := rnd.IntN(len(keptTexts) + 6); {
			case n < len(keptTexts):
				files[name] = &fstest.MapFile{Data: []byte(keptTexts[n])}
			case n < len(keptTexts)+2: // otherwise most fabrics would soon have mistakes
				delete(files, name)
			default:
				files[name] = &fstest.MapFile{Data: []byte(keptTexts[2+rnd.IntN(3)])}
			}
			want, wantDiags := Load(files, ".", o)
			again := o
			again.Kept = kept
			before := maps.Clone(kept.files)
			got, gotDiags := Load(files, ".", again)
			require.Equal(t, wantDiags, gotDiags, files)
			require.Equal(t, want, got)
			for name, k := range kept.files {
				if before[name] == k {
					used++
				}
			}
			if len(gotDiags) == 0 {
				good++
			}
		}
	}
	require.Greater(t, used, 500, "files were not read again")
	require.Greater(t, good, 50, "fabrics without a mistake")
}

// Kept has only the files of the last load.
func TestKeptIsBounded(t *testing.T) {
	kept := &Kept{}
	files := fstest.MapFS{"main.hcl": {Data: []byte("fabric \"f\" {}\n")}}
	for i := range 10 {
		files[fmt.Sprintf("f%d.hcl", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "host \"h%d\" {}\n", i)}
	}
	_, ds := Load(files, ".", Options{Kept: kept})
	require.Empty(t, ds)
	require.Len(t, kept.files, 10)
	delete(files, "f3.hcl")
	_, ds = Load(files, ".", Options{Kept: kept})
	require.Empty(t, ds)
	require.Len(t, kept.files, 9)
}
