package house

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// initLine matches a line of GODEBUG=inittrace=1: a package, and the number of allocations of its initialization.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) allocs$`)

// notOurs are packages whose allocations do not count, as the program cannot import what it uses without them: hclwrite, which rocec fmt
// uses, imports go-cmp without need. The client of NATS, which the verbs of a team use, makes tables when the program begins, and imports
// encoding/gob without need: 940 allocations in 0.7 ms.
var notOurs = []string{
	"github.com/google/go-cmp/cmp", "github.com/nats-io/nats%2ego", "github.com/nats-io/nats.go/jetstream", "github.com/nats-io/nkeys",
	"github.com/nats-io/nuid", "github.com/klauspost/compress/flate", "encoding/gob",
}

// measureBinary measures the programs as a release builds them: the size of rocec and of rocecd in bytes, and the allocations of `rocec
// version` before main begins. It measures only on linux/amd64 and without -short, which builds nothing. Otherwise it returns the rows as
// not measured.
func measureBinary(t *testing.T, found figures) (unmeasured []string) {
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Log("the binary is not measured: it needs linux on amd64, and no -short")
		return []string{"binary", "binary-rocecd"}
	}
	built := func(program, row string) (binary string) {
		binary = filepath.Join(t.TempDir(), program)
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, "./cmd/"+program)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		info, err := os.Stat(binary)
		require.NoError(t, err)
		*found.of(row, "bytes") = figure{int(info.Size()), []string{"go build says nothing of packages; go tool nm -size -sort size does"}}
		return binary
	}
	built("rocecd", "binary-rocecd")
	binary := built("rocec", "binary")

	allocs := found.of("binary", "init-allocs")
	for range initRuns {
		if one := measureInit(t, binary); allocs.where == nil || one.n < allocs.n {
			*allocs = one
		}
	}
	return nil
}

// initRuns is the number of measured runs. The runtime itself sometimes allocates, so the run with the fewest allocations counts.
const initRuns = 20

// measureInit counts the allocations of one run of `rocec version` before main begins.
func measureInit(t *testing.T, binary string) (allocs figure) {
	run := exec.Command(binary, "version")
	run.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	run.Stderr = &trace
	require.NoError(t, run.Run())
	ours, found := false, map[string]bool{}
	for _, line := range initLine.FindAllStringSubmatch(trace.String(), -1) {
		n, err := strconv.Atoi(line[2])
		require.NoError(t, err)
		if slices.Contains(notOurs, line[1]) {
			found[line[1]] = true
			continue
		}
		ours = ours || strings.HasPrefix(line[1], modulePath)
		allocs.n += n
		allocs.where = append(allocs.where, fmt.Sprintf("%5d %s", n, line[1]))
	}
	slices.Sort(allocs.where)
	slices.Reverse(allocs.where)
	require.Len(t, found, len(notOurs), "each package that does not count is in the program")
	require.True(t, ours, "the trace has packages of the module:\n%s", trace.Bytes())
	return allocs
}
