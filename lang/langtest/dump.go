package langtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// variable is the environment variable with the folder to which [Dump] writes.
const variable = "ROCEC_DUMP_FABRICS"

// T has the methods of a test that [Dump] needs. The T of package rapid has them, too.
type T interface {
	Helper()
	Name() string
	Fatalf(format string, args ...any)
}

// Dump writes the files of a fabric into a separate folder below the folder in ROCEC_DUMP_FABRICS. Without that variable it does
// nothing. Args are the further arguments by which rocec checks the fabric as the test does. Dump writes them to the file rocec.args of
// the folder, one in a line, from which cmd/internal/compare reads them.
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

// Vars returns the arguments --var for values of variables.
func Vars(values []string) []string {
	var args []string
	for _, v := range values {
		args = append(args, "--var", v)
	}
	return args
}

// dump names the folder by the test and a hash of its content, so that equal fabrics of a test are written once.
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
