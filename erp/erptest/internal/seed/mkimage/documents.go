package main

import "strings"

// referenceDocAction is the list of what can be done with a document.
const referenceDocAction = 135

// linkDocuments gives the column of each document's next action the process that
// does it, where the facts do not know it: the ERP calls it after the table.
func (m *model) linkDocuments() {
	byValue := map[string]*process{}
	for _, p := range m.processes {
		byValue[p.value] = p
	}
	for _, t := range m.tables {
		c, ok := t.Column("DocAction")
		if !ok || c.RefValue != referenceDocAction {
			continue
		}
		name := strings.TrimSuffix(t.Name, "Hdr")
		for _, value := range []string{name + " Process", name + "_Process"} {
			if p := byValue[value]; p != nil && c.ProcessID == 0 {
				c.ProcessID = p.id
			}
		}
	}
}

// documentWorkflows are the workflows of the documents of the demo, by process. That
// of orders is in data/workflow.txt.
var documentWorkflows = []struct {
	table    string
	workflow int64
}{
	{"C_Order", 115},
	{"C_Invoice", 900_001},
	{"M_InOut", 900_002},
	{"C_Payment", 900_003},
	{"C_AllocationHdr", 900_004},
	{"M_Inventory", 900_005},
	{"M_Production", 900_006},
	{"M_Requisition", 900_007},
}

// workflowOf is the workflow of a process, 0 for none.
func (m *model) workflowOf(process int64) int64 {
	for _, d := range documentWorkflows {
		if c, ok := m.byName[strings.ToUpper(d.table)].Column("DocAction"); ok && c.ProcessID == process {
			return d.workflow
		}
	}
	return 0
}

// addDocumentWorkflows makes the workflows of documents: a start, from where a
// completion is prepared and done, and anything else is done at once.
func (b *builder) addDocumentWorkflows() {
	const responsible = 101 // who invokes it
	steps := []struct{ name, action, docAction string }{
		{"(Start)", "Z", ""}, {"(DocPrepare)", "D", "PR"}, {"(DocComplete)", "D", "CO"}, {"(DocAuto)", "D", "--"},
	}
	transitions := []struct {
		from, to, seq int64
		user          bool // for what users start
	}{{0, 1, 10, true}, {1, 2, 10, false}, {0, 3, 100, false}}
	names := map[int64]string{}
	for _, p := range b.m.processes {
		names[p.id] = p.name
	}
	node, next := int64(900_001), int64(900_001)
	for _, d := range documentWorkflows {
		t := b.m.byName[strings.ToUpper(d.table)]
		if d.workflow < 900_001 {
			continue
		}
		c, _ := t.Column("DocAction")
		name := names[c.ProcessID]
		b.add("AD_Workflow", "AD_Workflow_ID", d.workflow, "Value", strings.ReplaceAll(name, " ", "_"), "Name", name, "WorkflowType", "P",
			"AccessLevel", "1", "AD_Table_ID", t.ID, "AD_WF_Node_ID", node, "IsValid", true, "PublishStatus", "R", "Author", "erptest",
			"Version", 0, "DurationUnit", "D", "AD_WF_Responsible_ID", responsible, "EntityType", "D", "Description", "What is done with documents of "+t.Name)
		for i, s := range steps {
			b.add("AD_WF_Node", "AD_WF_Node_ID", node+int64(i), "AD_Workflow_ID", d.workflow, "Value", s.name, "Name", s.name,
				"Action", s.action, "DocAction", s.docAction, "AD_WF_Responsible_ID", responsible, "EntityType", "D")
		}
		for _, x := range transitions {
			b.add("AD_WF_NodeNext", "AD_WF_NodeNext_ID", next, "AD_WF_Node_ID", node+x.from, "AD_WF_Next_ID", node+x.to, "SeqNo", x.seq,
				"IsStdUserWorkflow", x.user, "EntityType", "D")
			next++
		}
		node += int64(len(steps))
	}
}
