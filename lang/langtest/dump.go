package langtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// variable is the environment variable that names the folder [Dump] writes to.
const variable = "ROCEC_DUMP_FABRICS"

// T is what [Dump] needs of a test; that of package rapid has it, too.
type T interface {
	Helper()
	Name() string
	Fatalf(format string, args ...any)
}

// Dump writes the files of a fabric into a folder of its own, below the one ROCEC_DUMP_FABRICS names; without that variable it
// does nothing. Args are the further arguments rocec needs to judge it as the test does. They become the file rocec.args
// of the folder, one a line, where cmd/internal/compare looks for them.
func Dump(t T, fsys fs.FS, args ...string) {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		return
	}
	if err := dump(dir, t.Name(), fsys, args); err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
}

// Vars is the arguments that give variables their values, from those of --var.
func Vars(values []string) []string {
	var args []string
	for _, v := range values {
		args = append(args, "--var", v)
	}
	return args
}

// dump names the folder after the test and what it holds, so that equal fabrics of a test are written once.
func dump(dir, test string, fsys fs.FS, args []string) error {
	files := map[string][]byte{}
	sum := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(fsys, name)
		fmt.Fprintf(sum, "%q %q\n", name, files[name])
		return err
	})
	if err != nil {
		return err
	}
	if len(args) > 0 {
		files["rocec.args"] = []byte(strings.Join(args, "\n") + "\n")
		fmt.Fprintf(sum, "%q\n", args)
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|# `, r) {
			return '_'
		}
		return r
	}, test)
	dir = filepath.Join(dir, fmt.Sprintf("%.80s-%x", name, sum.Sum(nil)[:6]))
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
