package lang

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// The mistakes in blocks; those in text are of package parse, those in values of package eval. `rocec explain CODE` prints the
// Doc.
var (
	misplacedBlock = diag.Topic{Code: "misplaced-block", Summary: "the block does not belong into a module", Doc: `
The fabric block and the ssh block hold for the whole fabric, so they are said once, in the
fabric's own folder. A module is used there, often several times, and could only contradict.

Example: in pod/fabric.hcl, the folder of a module,

    fabric "pod" {
      mtu = 9216
    }

Fix: delete the block in the module. What differs from module to module comes by
variables.
`}

	moduleCycle = diag.Topic{Code: "module-cycle", Summary: "a module holds itself", Doc: `
A module takes in the blocks of a folder. If a module block there, or in one of the modules it
names, leads back to the same folder, there is no end.

Example: in pod/rack.hcl, the folder of a module,

    module "again" {
      source = "../pod"
    }

Fix: take one of the module blocks of the circle away, or move what both folders need
into a third one.
`}

	unknownAttribute = diag.Topic{Code: "unknown-attribute", Summary: "there is no such attribute", Doc: `
Every block knows its attributes. An unknown one is refused instead of skipped: lossles = true must
not silently give a lossy group.

Example:

    cos_group "rdma" {
      cos     = 4
      lossles = true
    }

Fix: take the name the message offers. Attributes stand in blocks, never at the top of a
file.
`}

	badLabel = diag.Topic{Code: "bad-label", Summary: "the labels of a block are wrong", Doc: `
Most blocks carry exactly one label, the quoted name after the kind; ssh, locals, ecn, pfc, by_hand,
traffic_class and validation carry none. Other blocks refer to the label, so it is letters, digits,
"_", "-" and, for some kinds, ".".

Example:

    cos_group {
      cos = 1
    }

Fix: give the block its label, or take the label away.

    cos_group "bulk" {
      cos = 1
    }
`}

	duplicateBlock = diag.Topic{Code: "duplicate-block", Summary: "a block is there twice", Doc: `
fabric and the top-level ssh block may be written once in a folder; ecn and pfc once in a cos_group;
ssh and by_hand once in a switch or host. With two, nobody could say which counts.

Example:

    ssh { user = "cumulus" }
    ssh { jump = "bastion.example.net" }

Fix: make one block of the two.
`}

	duplicateName = diag.Topic{Code: "duplicate-name", Summary: "a name is used twice", Doc: `
Device names are unique across all switch and host blocks, because they become folders and SSH
destinations. Labels are unique among blocks of one kind, interface names in a host, variables and
locals in the fabric. Often two nodesets overlap.

Example:

    switch "edge" {
      names = "edge[1-4]"
      model = "sn2700"
    }
    switch "core" {
      names = "edge[4-8]" # edge4 again
      model = "sn2700"
    }

Fix: give one of the two another name; the message shows both places.

    switch "core" {
      names = "core[4-8]"
    }
`}

	badNodeset = diag.Topic{Code: "bad-nodeset", Summary: "the nodeset cannot be read", Doc: `
One string names many things:

    leaf[01-04]             leaf01 leaf02 leaf03 leaf04
    leaf[1-3,7]             leaf1 leaf2 leaf3 leaf7
    rack[1-2]-gpu[1-2]      rack1-gpu1 rack1-gpu2 rack2-gpu1 rack2-gpu2
    swp1-4,swp6             swp1 swp2 swp3 swp4 swp6
    swp49s0-3               swp49s0 swp49s1 swp49s2 swp49s3
    leaf[1-2]:swp[49-50]    leaf1:swp49 leaf1:swp50 leaf2:swp49 leaf2:swp50

One that cannot be read is refused as a whole, with the place inside the string.

Example:

    switch "edge" {
      names = "edge[4-1]" # a range runs upwards
      model = "sn2700"
    }

Fix: the message says what is missing. A device that is really called rack1-2 is written
rack1-[2], because rack1-2 is the range rack1 rack2.

    switch "edge" {
      names = "edge[1-4]"
    }
`}

	tooManyObjects = diag.Topic{Code: "too-many-objects", Summary: "the fabric names too many things", Doc: `
The names of all nodesets of a fabric are counted before they are made: devices, the interfaces of
each host, link ends and members. More than 2,000,000 are taken for a mistake, such as a zero too
many in a range. A Clos of 10,240 switches, 131,072 hosts and 524,288 links has 1,320,961.

Example:

    host "gpu" {
      names = "gpu[1-40000000]"
    }

Fix: correct the range, or raise the bound with --max-objects if the fabric is really
that large: the message says how many names it has. A name takes up to 1.5 KB of memory.
`}

	unequalCounts = diag.Topic{Code: "unequal-counts", Summary: "the two sides do not fit", Doc: `
A link zips its two sides: the first of a with the first of b, and so on; both must name the same
number of endpoints. A mesh wires every lower device to every upper device: with L lower and U upper
devices and w parallel links, each lower device names U x w ports and each upper device L x w.

Example:

    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]" # 4 devices, 2 ports each: one for each spine
      upper = "spine[1-2]:swp[1-3]"  # 2 devices, 3 ports each: one leaf is left out
    }

Fix: count, and correct the side that is wrong.

    mesh "uplinks" {
      upper = "spine[1-2]:swp[1-4]"
    }
`}

	noFabric = diag.Topic{Code: "no-fabric", Summary: "there is no fabric block", Doc: `
A fabric's folder holds, in one of its *.hcl files, exactly one fabric block: its name, and what
holds for the whole. Without it rocec is probably looking at the wrong folder.

Example: a folder with nothing but

    cos_group "rdma" {
      cos      = 4
      lossless = true
    }

Fix: name the right folder, or write the block.

    fabric "pod1" {
      routing      = "up-down"
      cable_length = "3m"
    }
`}

	ignoreUnknown = diag.Topic{Code: "ignore-unknown", Summary: "a comment names a code that does not exist", Doc: `
A misspelt code silences nothing, and the finding that was meant is still there.

Example:

    # rocec:ignore speed-steps the stores are slow, and meant to be
    roce "training" {
      cos_group = cos_group.rdma
    }

Fix: take the code as rocec validate prints it in brackets; rocec explain --list shows
all.

    # rocec:ignore speed-step the stores are slow, and meant to be
    roce "training" {
      cos_group = cos_group.rdma
    }
    link "stores" { speed = "25G" }
`}

	ignoreUnused = diag.Topic{Code: "ignore-unused", Summary: "a comment silences nothing", Doc: `
The finding was fixed, or points somewhere else. A comment that stays behind would hide the next
one unread.

Example:

    # rocec:ignore oversubscription storage never sends across
    cos_group "storage" {
      cos = 3
    }

Fix: delete the comment, or move it directly before the attribute or block the finding
points at.

    cos_group "storage" {
      cos = 3
    }
`}

	ignoreRefused = diag.Topic{Code: "ignore-refused", Summary: "a finding cannot be silenced by a comment", Doc: `
Mistakes of the language and of the fabric leave nothing that could be compiled; and a PFC loop
freezes a fabric, so it is accepted only in the cos_group itself, and repeated at every plan and
apply.

Example:

    # rocec:ignore pfc-loop we know
    cos_group "rdma" {
      cos = 4
    }

Fix: correct what the finding points at. A loop that must be is accepted by allow_deadlock
in the cos_group.

    fabric "pod1" { routing = "any" }
    cos_group "rdma" {
      allow_deadlock = "lab, rebooted every night"
    }
`}

	badForEach = diag.Topic{Code: "bad-for-each", Summary: "for_each is neither a set of strings nor a map", Doc: `
A block with for_each is read once for every element; each.key and each.value are its key and value.
The value is a map, an object, or a set of strings. A list has no keys, so nobody could say how the
instances are called.

Example:

    link "gpus" {
      for_each = ["1", "2"]
      a        = "gpu${each.key}:ens1f0"
      b        = "leaf${each.key}:swp1"
    }

Fix: make a list a set.

    link "gpus" {
      for_each = toset(["1", "2"])
    }
`}

	tableUnused = diag.Topic{Code: "table-unused", Summary: "the table of next hops is not used", Doc: `
A fabric names a file of next hops, and its routing is not "table": the PFC-loop check would follow
what the routing says and never look at the file. Nobody could say which of the two was meant.

Example:

    fabric "pod1" {
      routing = "up-down"
      table   = "fib.json"
    }

Fix: say routing = "table", or delete the attribute.

    fabric "pod1" {
      routing = "table"
    }
`}

	sensitiveVariable = diag.Topic{Code: "sensitive-variable", Summary: "a variable is declared sensitive", Doc: `
What a fabric says ends in files on devices, in plans people read to each other, and in JSON. A
value that must not be seen cannot be hidden there, and a word that promises it would be a lie.
Nothing in a fabric needs a secret: keys and passwords stay with ssh and its agent.

Example:

    variable "community" {
      default   = "a"
      sensitive = true
    }

Fix: take the word away if the value is no secret; keep the value out of the fabric if
it is.

    variable "community" {
      sensitive = false
    }
`}
)

// Topics is every code lang reports.
var Topics = []diag.Topic{
	parse.Unreadable, parse.TooLarge, parse.TooDeep, parse.InvalidUTF8, parse.Syntax,
	eval.UnknownBlock, misplacedBlock, unknownAttribute, eval.MissingAttribute, badLabel, duplicateBlock, parse.DuplicateAttribute, duplicateName,
	moduleCycle, parse.IgnoreInvalid, ignoreUnknown, ignoreUnused, ignoreRefused,
	eval.BadName, badNodeset, tooManyObjects, unequalCounts,
	eval.WrongType, eval.WrongUnit, eval.OutOfRange, eval.BadValue,
	eval.UnknownReference, eval.UnknownFunction, eval.BadExpression, eval.ReferenceCycle, badForEach,
	noFabric, requiredVersion, eval.UnsetVariable, eval.UndeclaredVariable, eval.BadVariable, eval.FailedValidation, sensitiveVariable,
	nexthops.Invalid, tableUnused, lock.Invalid,
	topology.Syntax, topology.Endpoint, topology.Attribute, topology.TooLarge, topology.Empty,
}
