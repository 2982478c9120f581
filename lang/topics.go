package lang

import (
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/lang/topology"
)

// The mistakes lang reports; those in values are in topicsvalues.go. `rocec explain CODE` prints the Doc.
var (
	unreadable = diag.Topic{Code: "unreadable", Summary: "a folder or file cannot be read", Doc: `
A fabric is a folder; every regular *.hcl file directly in it is read. Names that start with a dot
are not. Symbolic links, pipes and devices are refused rather than followed, because a fabric must
not read what lies outside its folder.

Example:

    $ ln -s ../common/groups.hcl pod1/groups.hcl
    $ rocec validate pod1

How to mend it: give the right folder, mend its permissions, or replace the link by the file.
`}

	tooLarge = diag.Topic{Code: "too-large", Summary: "the input is larger than rocec reads", Doc: `
Limits keep a mistake, or a fabric from a stranger, from eating the machine: 256 files of 1 MiB,
together 32 MiB and each 200,000 tokens; a table of next hops of 64 MiB; strings of 64 KiB; values
of 100,000 elements; and a bound on the work of expressions all together. A string that doubles
itself in a chain of locals meets the last one.

Example:

    locals {
      line  = join(",", range(4096))
      lines = "${local.line}${local.line}${local.line}${local.line}" # 76 KiB
    }

How to mend it: split a large file; name many things with nodesets and meshes instead of one block
each.

    locals {
      lines = "gpu[1-4096]"
    }
`}

	tooDeep = diag.Topic{Code: "too-deep", Summary: "the input is nested too deeply", Doc: `
Brackets, templates, conditionals and signs may be nested 64 deep, one expression may join 128
operands, and a for expression may hold one other for expression, not two. Nothing a person writes
comes near; deeper input would stop the parser of HCL with no message at all.

Example:

    locals {
      ports = [for pod in range(2) : [for leaf in range(4) : [for port in range(8) : port]]]
    }

How to mend it: give parts of the expression a name in a locals block.

    locals {
      leaf  = [for port in range(8) : port]
      ports = [for pod in range(2) : [for leaf in range(4) : local.leaf]]
    }
`}

	invalidUTF8 = diag.Topic{Code: "invalid-utf8", Summary: "the file is not UTF-8 text", Doc: `
Fabric files are UTF-8 without NUL bytes. The place shown is the first byte that is not. Files from
old Windows editors are often UTF-16 or Latin-1.

Example:

    $ file pod1/fabric.hcl
    pod1/fabric.hcl: ISO-8859 text

How to mend it: save the file as UTF-8.

    $ iconv -f ISO-8859-1 -t UTF-8 fabric.hcl > fabric.new
`}

	syntax = diag.Topic{Code: "syntax", Summary: "the file is not valid HCL", Doc: `
The text cannot be read as HCL (the language of Terraform and Nomad). Often a quote, a bracket or
an equals sign is missing a line further up. An attribute is name = value; a block is kind "label"
{ ... }, and a block written on one line holds at most one attribute.

Example:

    switch "edge" {
      names = "edge[1-4]
    }

How to mend it: look at the place shown and at the line above it. rocec fmt --check tells whether
the file can be read again.

    switch "edge" {
      names   = "edge[1-4]"
      model   = "sn2700"
      version = "4.3.0"
    }
`}

	unknownBlock = diag.Topic{Code: "unknown-block", Summary: "there is no such block", Doc: `
The language has a fixed set of blocks, and each may stand in certain places only. An unknown one is
refused instead of skipped: a misspelt block must not silently configure nothing.

Example:

    swich "edge" {
      model = "sn2700"
    }

How to mend it: take the name the message offers.
`}

	misplacedBlock = diag.Topic{Code: "misplaced-block", Summary: "the block does not belong into a module", Doc: `
The fabric block and the ssh block hold for the whole fabric, so they are said once, in the
fabric's own folder. A module is used there, often several times, and could only contradict.

Example: in pod/fabric.hcl, the folder of a module,

    fabric "pod" {
      mtu = 9216
    }

How to mend it: delete the block in the module. What differs from module to module comes by
variables.
`}

	moduleCycle = diag.Topic{Code: "module-cycle", Summary: "a module holds itself", Doc: `
A module takes in the blocks of a folder. If a module block there, or in one of the modules it
names, leads back to the same folder, there is no end.

Example: in pod/rack.hcl, the folder of a module,

    module "again" {
      source = "../pod"
    }

How to mend it: take one of the module blocks of the circle away, or move what both folders need
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

How to mend it: take the name the message offers. Attributes stand in blocks, never at the top of a
file.
`}

	missingAttribute = diag.Topic{Code: "missing-attribute", Summary: "a required attribute is missing", Doc: `
Some attributes have no sensible default, so the person must say: the cos of a cos_group, the
version of a roce, the model of a switch. null counts as not written.

Example:

    cos_group "bulk" {
      weight = 10 # no cos
    }

How to mend it: write the attribute.

    cos_group "bulk" {
      cos = 1
    }
`}

	badLabel = diag.Topic{Code: "bad-label", Summary: "the labels of a block are wrong", Doc: `
Most blocks carry exactly one label, the quoted name after the kind; ssh, locals, ecn, pfc, by_hand,
traffic_class and validation carry none. Other blocks refer to the label, so it is letters, digits,
"_", "-" and, for some kinds, ".".

Example:

    cos_group {
      cos = 1
    }

How to mend it: give the block its label, or take the label away.

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

How to mend it: make one block of the two.
`}

	duplicateAttribute = diag.Topic{Code: "duplicate-attribute", Summary: "an attribute is set twice", Doc: `
An attribute may be set once in a block. With two, nobody could say which counts.

Example:

    cos_group "bulk" {
      cos = 1
      cos = 2
    }

How to mend it: delete one of them.

    cos_group "bulk" {
      cos = 1
    }
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

How to mend it: give one of the two another name; the message shows both places.

    switch "core" {
      names = "core[4-8]"
    }
`}

	badName = diag.Topic{Code: "bad-name", Summary: "the name is not allowed", Doc: `
Device names have 1 to 63 of the characters a-z 0-9 . _ - and start with a letter or digit; ".." is
not allowed. Interface names are Linux names: up to 15 of the characters A-Z a-z 0-9 . _ + @ -,
starting with a letter, digit or underscore. Names become paths and commands on devices, so nothing
else is let through.

Example:

    switch "edge" {
      names = "Edge[1-4]"
      model = "sn2700"
    }

How to mend it: use the characters above. Device names are names in the fabric; the address of a
device may be anything (ssh block).

    switch "edge" {
      names = "edge[1-4]"
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

How to mend it: the message says what is missing. A device that is really called rack1-2 is written
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

How to mend it: correct the range, or raise the bound with --max-objects if the fabric is really
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

How to mend it: count, and correct the side that is wrong.

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

How to mend it: name the right folder, or write the block.

    fabric "pod1" {
      routing      = "up-down"
      cable_length = "3m"
    }
`}

	ignoreInvalid = diag.Topic{Code: "ignore-invalid", Summary: "a comment that should silence a finding cannot be read", Doc: `
A comment silences one finding of one place, and says why, so that the next reader knows. Without
a code or a reason, or away from what it means, it silences nothing.

Example:

    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]" # rocec:ignore oversubscription
    }

How to mend it: put the comment on a line of its own, directly before the attribute or block, with
code and reason.

    # rocec:ignore speed-step the stores are slow, and meant to be
    roce "training" {
      cos_group = cos_group.rdma
    }
    link "stores" { speed = "25G" }
    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]"
    }
`}

	ignoreUnknown = diag.Topic{Code: "ignore-unknown", Summary: "a comment names a code that does not exist", Doc: `
A misspelt code silences nothing, and the finding that was meant is still there.

Example:

    # rocec:ignore speed-steps the stores are slow, and meant to be
    roce "training" {
      cos_group = cos_group.rdma
    }

How to mend it: take the code as rocec validate prints it in brackets; rocec explain --list shows
all.

    # rocec:ignore speed-step the stores are slow, and meant to be
    roce "training" {
      cos_group = cos_group.rdma
    }
    link "stores" { speed = "25G" }
`}

	ignoreUnused = diag.Topic{Code: "ignore-unused", Summary: "a comment silences nothing", Doc: `
The finding was mended, or points somewhere else. A comment that stays behind would hide the next
one unread.

Example:

    # rocec:ignore oversubscription storage never sends across
    cos_group "storage" {
      cos = 3
    }

How to mend it: delete the comment, or move it directly before the attribute or block the finding
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

How to mend it: mend what the finding points at. A loop that must be is accepted by allow_deadlock
in the cos_group.

    fabric "pod1" { routing = "any" }
    cos_group "rdma" {
      allow_deadlock = "lab, rebooted every night"
    }
`}
)

// Topics is every code lang reports.
var Topics = []diag.Topic{
	unreadable, tooLarge, tooDeep, invalidUTF8, syntax,
	unknownBlock, misplacedBlock, unknownAttribute, missingAttribute, badLabel, duplicateBlock, duplicateAttribute, duplicateName,
	moduleCycle, ignoreInvalid, ignoreUnknown, ignoreUnused, ignoreRefused,
	badName, badNodeset, tooManyObjects, unequalCounts,
	wrongType, wrongUnit, outOfRange, badValue,
	unknownReference, unknownFunction, badExpression, referenceCycle, badForEach,
	noFabric, requiredVersion, unsetVariable, undeclaredVariable, badVariable, failedValidation, sensitiveVariable,
	nexthops.Invalid, tableUnused, lock.Invalid,
	topology.Syntax, topology.Endpoint, topology.Attribute, topology.TooLarge, topology.Empty,
}
