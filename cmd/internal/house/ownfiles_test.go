package house

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opensFiles are the places that open, list or write files by package os, with the owner of the files. Only package safefile opens
// rocec's own files (journals, samples, labs, saved plans). It refuses files that another user could have written.
const opensFiles = `
cmd/internal/forms/folder/folder.go Open | the folder of -o
cmd/internal/forms/folder/folder.go holds | files of -o, compared with their new content
cmd/internal/wholefile/wholefile.go ReplaceLink | writes what the person names
cmd/internal/wholefile/create.go Create | the new fabric, in the folder that the person names
cmd/internal/report/paths.go newPaths | whether a folder is the root of a repository
cmd/internal/collect/collect.go Resume | whether a snapshot that the person names is there
cmd/internal/collect/collect.go Save | the folders of a snapshot that the person names
cmd/internal/collect/collect.go had | a snapshot that the person names, held to its digests
cmd/internal/collect/run.go begin | whether a name is free
cmd/internal/collect/sources.go add | whether an argument is a file or a folder
cmd/internal/collect/sources.go inventoryOf | an inventory that the person names
cmd/internal/devicefiles/devicefiles.go deviceFolder | files of devices that the person names, judged and not trusted
cmd/internal/devicefiles/baseline.go free | whether the file that the person names is there
cmd/internal/devicefiles/devicefiles.go readOne | files of devices that the person names, judged and not trusted
cmd/internal/globals/fabric.go LoadOver | the fabric, which the person names
cmd/rocec/fmt.go hclFiles | files of a fabric
cmd/rocec/fmt.go isLink | whether a name is a link
cmd/rocec/fmt.go readRegular | files of a fabric
cmd/rocec/fmt.go rewrite | files of a fabric
cmd/internal/globals/inside.go open | modules of the fabric, in the folder that the person trusts
cmd/internal/globals/inside.go rootOf | whether a folder is the root of a repository
cmd/internal/intake/intake.go in | whether the copy of a file that the person names is the file itself
cmd/internal/intake/look.go kindOf | whether a source that the person names is a folder
cmd/rocec/init.go formerFrom | whether a source that the person names is there
cmd/rocec/init.go free | whether a name is free
cmd/rocec/init.go refuseSystem | which folder is meant
cmd/rocec/init.go init | whether the name of a workflow is free
cmd/rocec/init.go refuseTaken | whether names are free
cmd/rocec/init.go repositoryOf | whether a folder is the root of a repository
cmd/rocec/leads.go fabricFolder | whether an argument is a folder
cmd/rocec/flags.go freshLab | whether a folder is called new
cmd/rocec/locksizes.go lockSizes | fabric.lock, a file of the fabric
cmd/rocec/lsp.go List | names of files that an editor completes
cmd/rocec/manpages.go writeManPages | writes the manual
cmd/internal/globals/named.go inItsFolder | whether a file that the person names is a link
cmd/internal/globals/named.go OpenNamed | files that the person names: --var-file and its kin
cmd/internal/rights/rights.go SignersText | whether the site has a file of signers
cmd/internal/savedplan/signatures.go ReadSigned | names of signatures beside a plan that the person names
cmd/internal/savedplan/signatures.go verified | a signature beside a plan: whoever wrote it, it is verified
cmd/internal/savedplan/savedplan.go write | writes what the person names, with a mode that apply takes
cmd/rocec/selftest.go maySave | whether a name is free
cmd/rocec/selftest.go saveBundle | writes a new file that the person names
cmd/rocec/selftestjudge.go judgeBundle | a saved text that the person names
cmd/rocec/trace.go traceCommand | whether an argument is a folder
cmd/internal/broker/broker.go Open | certificates that the person names: they are public
cmd/rocecd/internal/keys/certificates.go TLS | a certificate of the ring, which is public
cmd/rocecd/internal/keys/keys.go Make | makes the folder of a ring, for its owner alone
cmd/rocecd/internal/keys/keys.go Open | the ring, after its mode has been checked
cmd/rocecd/internal/pages/access.go config | certificates and a key that the person names, after the mode of the key has been checked
cmd/rocecd/internal/keys/keys.go Trust | the ring, after its mode has been checked
cmd/rocecd/internal/keys/sitekey.go SiteKey | the ring, after its mode has been checked
cmd/rocecd/internal/keys/sitekey.go Hosts | a certificate of the ring, which is public
cmd/rocecd/internal/keys/sitekey.go Changed | the ring, after its mode has been checked
cmd/rocecd/keys.go onRing | the ring, after its mode has been checked
cmd/rocecd/link.go embedded | whether there is a ring; package keys opens it
cmd/rocecd/link.go lockStore | a lock without content, below the state
cmd/rocecd/link.go makeRing | makes the state that the person names, for its owner alone
cmd/rocecd/mirror.go openMirror | makes the folder of a clone, which git writes
cmd/rocecd/rebuild.go rebuild | whether there is a ring; package keys opens it
cmd/rocecd/rebuild.go archiveOf | whether there are records; package safefile opens them
cmd/internal/session/held.go processLives | a process of this machine, in /proc
cmd/rocec/validate.go appendFile | adds to the summary of GitHub
cmd/internal/operands/operands.go exists | whether a name is a path
cmd/internal/operands/operands.go named | whether a path that the person names is a folder
cmd/internal/fromfiles/fromfiles.go Read | whether a path that the person names is a folder
cmd/internal/fromfiles/fromfiles.go hasReport | whether a folder that the person names may hold reports
cmd/internal/fromfiles/reports.go readReports | files of devices that the person names, judged and not trusted
targets/deploy/lab/store.go Reset | whether there is a lab; package safefile opens it
targets/deploy/lab/store.go ours | names in a folder, before it is opened as a lab; package safefile opens it
targets/deploy/lab/store.go openStore | makes the folder of a lab; package safefile opens it
targets/deploy/ssh/auth.go readKey | the mode of a private key of the person
targets/deploy/ssh/limits.go judgeKeys | whether a private key of the person is there
targets/deploy/ssh/limits.go publicHalf | whether a private key of the person is there
targets/deploy/ssh/openssh.go open | makes a folder with a new name and mode 0700, for this process alone
targets/deploy/ssh/shown.go pin | in a folder that this process has made for itself alone
targets/deploy/ssh/shown.go shown | in a folder that this process has made for itself alone
targets/deploy/ssh/rules.go readChecked | configuration and keys of ssh, by the rules of ssh
targets/deploy/ssh/trust.go Trust | known_hosts of the person, by the rules of ssh; package safefile writes it
cmd/rocec-txn/verbs.go openPlain | files of a device: those that rocec writes, and those that trusted judges
cmd/rocec-txn/verify.go alone | whether root alone can change a file of the device
cmd/rocec-txn/verify.go machines | the public host keys of a device
cmd/rocec-txn/verify.go noted | the runs of a device, in a folder of root
cmd/rocec-txn/verify.go use | whether a run is prepared on a device
`

// openers are the functions of package os that open, list or write files by path.
var openers = []string{
	"Create", "CreateTemp", "CopyFS", "DirFS", "Lstat", "Mkdir", "MkdirAll", "MkdirTemp", "Open", "OpenFile", "OpenInRoot", "OpenRoot",
	"ReadDir", "ReadFile", "Rename", "Stat", "Truncate", "WriteFile",
}

// Only the listed places read or write files, and the list names the owner of the files. So rocec checks the owner and mode of each of
// its own files before it reads the file.
func TestOwnFilesAreChecked(t *testing.T) {
	whose := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(opensFiles)) {
		place, why, ok := strings.Cut(strings.TrimSpace(line), " | ")
		require.True(t, ok && why != "", line)
		require.NotContains(t, whose, place, "twice")
		whose[place] = why
	}
	m := theModule(t)
	found := map[string]bool{}
	for _, name := range m.names("cmd", "targets", "compiler", "lang", "validate") {
		if forTests(path.Dir(name)) || strings.HasPrefix(name, "targets/deploy/safefile/") || strings.HasPrefix(name, "cmd/internal/compare/") ||
			strings.HasPrefix(name, "cmd/internal/gate/") {
			continue
		}
		for _, decl := range m.files[name].Decls {
			in := "-"
			if fn, ok := decl.(*ast.FuncDecl); ok {
				in = fn.Name.Name
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(openers, sel.Sel.Name) {
					found[name+" "+in] = true
				}
				return true
			})
		}
	}
	for place := range found {
		assert.Contains(t, whose, place, "it opens files: use package safefile if they are rocec's own; otherwise add a row with their owner")
	}
	for place := range whose {
		assert.Contains(t, found, place, "it no longer opens files: delete its row")
	}
	for _, own := range []string{"cmd/internal/journal/journal.go", "cmd/internal/samples/samples.go", "cmd/internal/savedplan/savedplan.go"} {
		text, err := os.ReadFile(filepath.Join(root, own))
		require.NoError(t, err)
		assert.Contains(t, string(text), "safefile.Open", own)
	}
}
