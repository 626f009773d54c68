-- The tables of the ERP's dictionary that scripts write to, and a few that own
-- tables point at, in short.

CREATE TABLE ad_system (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_system_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	releaseno varchar(10) NOT NULL,
	lastmigrationscriptapplied varchar(255),
	ad_system_uu uuid CONSTRAINT ad_system_uu_idx UNIQUE
);
CREATE TABLE ad_sysconfig (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_sysconfig_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(50) NOT NULL,
	value varchar(255) NOT NULL,
	ad_sysconfig_uu uuid CONSTRAINT ad_sysconfig_uu_idx UNIQUE
);
CREATE TABLE ad_sequence (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_sequence_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	description varchar(255),
	istableid char(1) DEFAULT 'N' CHECK (istableid IN ('Y','N')),
	isautosequence char(1) DEFAULT 'Y' NOT NULL CHECK (isautosequence IN ('Y','N')),
	isaudited char(1) DEFAULT 'N' CHECK (isaudited IN ('Y','N')),
	startnewyear char(1) DEFAULT 'N' CHECK (startnewyear IN ('Y','N')),
	startnewmonth char(1) DEFAULT 'N' NOT NULL CHECK (startnewmonth IN ('Y','N')),
	isorglevelsequence char(1) DEFAULT 'N' NOT NULL CHECK (isorglevelsequence IN ('Y','N')),
	startno numeric(10) DEFAULT 1000000 NOT NULL,
	incrementno numeric(10) DEFAULT 1 NOT NULL,
	currentnext numeric(10) DEFAULT 1000000 NOT NULL,
	currentnextsys numeric(10) DEFAULT 100 NOT NULL,
	ad_sequence_uu uuid CONSTRAINT ad_sequence_uu_idx UNIQUE
);
CREATE TABLE ad_migrationscript (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_migrationscript_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	filename varchar(500) NOT NULL,
	projectname varchar(60) NOT NULL,
	releaseno varchar(10) NOT NULL,
	description varchar(2000),
	developername varchar(60),
	reference varchar(2000),
	url varchar(2000),
	script bytea,
	status char(2) CHECK (status IN ('IP','CO','ER')),
	isapply char(1) NOT NULL CHECK (isapply IN ('Y','N')),
	scriptroll char(1),
	ad_migrationscript_uu uuid CONSTRAINT ad_migrationscript_uu_idx UNIQUE
);
CREATE TABLE ad_client (
	ad_client_id numeric(10) NOT NULL PRIMARY KEY, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	name varchar(60) NOT NULL,
	ad_client_uu uuid CONSTRAINT ad_client_uu_idx UNIQUE
);
CREATE TABLE ad_org (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL PRIMARY KEY, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	name varchar(60) NOT NULL,
	ad_org_uu uuid CONSTRAINT ad_org_uu_idx UNIQUE
);
CREATE TABLE ad_user (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_user_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	ad_user_uu uuid CONSTRAINT ad_user_uu_idx UNIQUE
);
CREATE TABLE ad_role (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_role_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	ismanual char(1) DEFAULT 'N' NOT NULL CHECK (ismanual IN ('Y','N')),
	ad_role_uu uuid CONSTRAINT ad_role_uu_idx UNIQUE
);
CREATE TABLE ad_entitytype (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_entitytype_id numeric(10) NOT NULL PRIMARY KEY,
	entitytype varchar(40) NOT NULL UNIQUE,
	name varchar(60) NOT NULL,
	ad_entitytype_uu uuid CONSTRAINT ad_entitytype_uu_idx UNIQUE
);
CREATE TABLE ad_language (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_language_id numeric(10) NOT NULL PRIMARY KEY,
	ad_language varchar(6) NOT NULL UNIQUE,
	name varchar(60) NOT NULL,
	ad_language_uu uuid CONSTRAINT ad_language_uu_idx UNIQUE
);
CREATE TABLE ad_tree (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_tree_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	treetype char(2) NOT NULL,
	isallnodes char(1) NOT NULL CHECK (isallnodes IN ('Y','N')),
	ad_tree_uu uuid CONSTRAINT ad_tree_uu_idx UNIQUE
);
CREATE TABLE ad_process (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_process_id numeric(10) NOT NULL PRIMARY KEY,
	value varchar(40) NOT NULL UNIQUE,
	name varchar(60) NOT NULL,
	ad_process_uu uuid CONSTRAINT ad_process_uu_idx UNIQUE
);
CREATE TABLE ad_val_rule (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_val_rule_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL UNIQUE,
	type char(1) NOT NULL,
	code varchar(2000),
	entitytype varchar(40) NOT NULL,
	ad_val_rule_uu uuid CONSTRAINT ad_val_rule_uu_idx UNIQUE
);
CREATE TABLE ad_window (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_window_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	description varchar(255),
	help varchar(2000),
	windowtype char(1) NOT NULL,
	issotrx char(1) DEFAULT 'Y' NOT NULL CHECK (issotrx IN ('Y','N')),
	isdefault char(1) NOT NULL CHECK (isdefault IN ('Y','N')),
	isbetafunctionality char(1) NOT NULL CHECK (isbetafunctionality IN ('Y','N')),
	entitytype varchar(40) NOT NULL,
	ad_window_uu uuid CONSTRAINT ad_window_uu_idx UNIQUE,
	UNIQUE (ad_client_id,name)
);
CREATE TABLE ad_reference (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_reference_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL UNIQUE,
	description varchar(255),
	help varchar(2000),
	validationtype char(1) NOT NULL,
	showinactive varchar(4) NOT NULL,
	entitytype varchar(40) NOT NULL,
	ad_reference_uu uuid CONSTRAINT ad_reference_uu_idx UNIQUE
);
CREATE TABLE ad_table (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_table_id numeric(10) NOT NULL PRIMARY KEY,
	tablename varchar(60) NOT NULL UNIQUE,
	name varchar(60) NOT NULL,
	description varchar(255),
	help varchar(2000),
	accesslevel char(1) DEFAULT '4' NOT NULL,
	entitytype varchar(40) NOT NULL,
	ischangelog char(1) DEFAULT 'Y' NOT NULL CHECK (ischangelog IN ('Y','N')),
	isdeleteable char(1) DEFAULT 'Y' NOT NULL CHECK (isdeleteable IN ('Y','N')),
	ishighvolume char(1) NOT NULL CHECK (ishighvolume IN ('Y','N')),
	issecurityenabled char(1) NOT NULL CHECK (issecurityenabled IN ('Y','N')),
	isview char(1) DEFAULT 'N' NOT NULL CHECK (isview IN ('Y','N')),
	ispartition char(1) DEFAULT 'N' NOT NULL CHECK (ispartition IN ('Y','N')),
	isshowindrilloptions char(1) DEFAULT 'N' CHECK (isshowindrilloptions IN ('Y','N')),
	iscentrallymaintained char(1) DEFAULT 'Y' CHECK (iscentrallymaintained IN ('Y','N')),
	replicationtype char(1) DEFAULT 'L' NOT NULL,
	ad_window_id numeric(10) REFERENCES ad_window(ad_window_id) DEFERRABLE INITIALLY DEFERRED,
	po_window_id numeric(10) REFERENCES ad_window(ad_window_id) DEFERRABLE INITIALLY DEFERRED,
	loadseq numeric(10),
	ad_table_uu uuid CONSTRAINT ad_table_uu_idx UNIQUE
);
CREATE TABLE ad_element (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_element_id numeric(10) NOT NULL PRIMARY KEY,
	columnname varchar(63) NOT NULL,
	name varchar(60) NOT NULL,
	printname varchar(60) NOT NULL,
	description varchar(255),
	help varchar(2000),
	placeholder varchar(255),
	entitytype varchar(40) NOT NULL,
	ad_element_uu uuid CONSTRAINT ad_element_uu_idx UNIQUE
);
CREATE TABLE ad_column (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_column_id numeric(10) NOT NULL PRIMARY KEY,
	ad_table_id numeric(10) NOT NULL REFERENCES ad_table(ad_table_id) DEFERRABLE INITIALLY DEFERRED,
	ad_element_id numeric(10) NOT NULL REFERENCES ad_element(ad_element_id) DEFERRABLE INITIALLY DEFERRED,
	columnname varchar(63) NOT NULL,
	name varchar(60) NOT NULL,
	description varchar(255),
	help varchar(2000),
	placeholder varchar(255),
	ad_reference_id numeric(10) NOT NULL REFERENCES ad_reference(ad_reference_id) DEFERRABLE INITIALLY DEFERRED,
	ad_reference_value_id numeric(10) REFERENCES ad_reference(ad_reference_id) DEFERRABLE INITIALLY DEFERRED,
	ad_val_rule_id numeric(10) REFERENCES ad_val_rule(ad_val_rule_id) DEFERRABLE INITIALLY DEFERRED,
	ad_process_id numeric(10) REFERENCES ad_process(ad_process_id) DEFERRABLE INITIALLY DEFERRED,
	fieldlength numeric(10),
	defaultvalue varchar(2000),
	iskey char(1) NOT NULL CHECK (iskey IN ('Y','N')),
	isparent char(1) NOT NULL CHECK (isparent IN ('Y','N')),
	ismandatory char(1) NOT NULL CHECK (ismandatory IN ('Y','N')),
	isupdateable char(1) DEFAULT 'Y' NOT NULL CHECK (isupdateable IN ('Y','N')),
	isalwaysupdateable char(1) DEFAULT 'N' NOT NULL CHECK (isalwaysupdateable IN ('Y','N')),
	isidentifier char(1) NOT NULL CHECK (isidentifier IN ('Y','N')),
	seqno numeric(10),
	isselectioncolumn char(1) NOT NULL CHECK (isselectioncolumn IN ('Y','N')),
	seqnoselection numeric(10),
	istranslated char(1) NOT NULL CHECK (istranslated IN ('Y','N')),
	isencrypted char(1) DEFAULT 'N' NOT NULL CHECK (isencrypted IN ('Y','N')),
	issecure char(1) DEFAULT 'N' NOT NULL CHECK (issecure IN ('Y','N')),
	isallowcopy char(1) DEFAULT 'Y' NOT NULL CHECK (isallowcopy IN ('Y','N')),
	isallowlogging char(1) DEFAULT 'Y' CHECK (isallowlogging IN ('Y','N')),
	isautocomplete char(1) DEFAULT 'N' NOT NULL CHECK (isautocomplete IN ('Y','N')),
	istoolbarbutton char(1) DEFAULT 'Y' NOT NULL,
	ishtml char(1) DEFAULT 'N' CHECK (ishtml IN ('Y','N')),
	ispartitionkey char(1) DEFAULT 'N' NOT NULL CHECK (ispartitionkey IN ('Y','N')),
	seqnopartition numeric(10),
	readonlylogic varchar(2000),
	mandatorylogic varchar(2000),
	alwaysupdatablelogic varchar(2000),
	callout varchar(255),
	vformat varchar(255),
	formatpattern varchar(22),
	valuemin varchar(20),
	valuemax varchar(20),
	columnsql varchar(4000),
	fkconstraintname varchar(63),
	fkconstrainttype char(1) DEFAULT 'N',
	version numeric NOT NULL,
	entitytype varchar(40) NOT NULL,
	ad_column_uu uuid CONSTRAINT ad_column_uu_idx UNIQUE,
	UNIQUE (ad_table_id,columnname)
);
CREATE TABLE ad_ref_list (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_ref_list_id numeric(10) NOT NULL PRIMARY KEY,
	ad_reference_id numeric(10) NOT NULL REFERENCES ad_reference(ad_reference_id) DEFERRABLE INITIALLY DEFERRED,
	value varchar(60) NOT NULL,
	name varchar(60) NOT NULL,
	description varchar(255),
	entitytype varchar(40) NOT NULL,
	ad_ref_list_uu uuid CONSTRAINT ad_ref_list_uu_idx UNIQUE,
	UNIQUE (ad_reference_id,value)
);
CREATE TABLE ad_ref_table (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_reference_id numeric(10) NOT NULL PRIMARY KEY REFERENCES ad_reference(ad_reference_id),
	ad_table_id numeric(10) NOT NULL REFERENCES ad_table(ad_table_id) DEFERRABLE INITIALLY DEFERRED,
	ad_key numeric(10) NOT NULL REFERENCES ad_column(ad_column_id) DEFERRABLE INITIALLY DEFERRED,
	ad_display numeric(10) NOT NULL REFERENCES ad_column(ad_column_id) DEFERRABLE INITIALLY DEFERRED,
	isvaluedisplayed char(1) NOT NULL CHECK (isvaluedisplayed IN ('Y','N')),
	isdisplayidentifier char(1) DEFAULT 'N' NOT NULL CHECK (isdisplayidentifier IN ('Y','N')),
	whereclause varchar(2000),
	orderbyclause varchar(2000),
	entitytype varchar(40) NOT NULL,
	ad_ref_table_uu uuid CONSTRAINT ad_ref_table_uu_idx UNIQUE
);
CREATE TABLE ad_tab (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_tab_id numeric(10) NOT NULL PRIMARY KEY,
	ad_window_id numeric(10) NOT NULL REFERENCES ad_window(ad_window_id) DEFERRABLE INITIALLY DEFERRED,
	ad_table_id numeric(10) NOT NULL REFERENCES ad_table(ad_table_id) DEFERRABLE INITIALLY DEFERRED,
	name varchar(60) NOT NULL,
	description varchar(255),
	help varchar(2000),
	seqno numeric(10) NOT NULL,
	tablevel numeric(10) NOT NULL,
	issinglerow char(1) DEFAULT 'Y' NOT NULL CHECK (issinglerow IN ('Y','N')),
	hastree char(1) NOT NULL CHECK (hastree IN ('Y','N')),
	isreadonly char(1) NOT NULL CHECK (isreadonly IN ('Y','N')),
	isinsertrecord char(1) DEFAULT 'Y' NOT NULL CHECK (isinsertrecord IN ('Y','N')),
	issorttab char(1) DEFAULT 'N' NOT NULL CHECK (issorttab IN ('Y','N')),
	istranslationtab char(1) NOT NULL CHECK (istranslationtab IN ('Y','N')),
	isinfotab char(1) CHECK (isinfotab IN ('Y','N')),
	isadvancedtab char(1) DEFAULT 'N' NOT NULL CHECK (isadvancedtab IN ('Y','N')),
	treedisplayedon char(1) DEFAULT 'B' NOT NULL,
	orderbyclause varchar(2000),
	whereclause varchar(2000),
	entitytype varchar(40) NOT NULL,
	ad_tab_uu uuid CONSTRAINT ad_tab_uu_idx UNIQUE
);
CREATE TABLE ad_field (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_field_id numeric(10) NOT NULL PRIMARY KEY,
	ad_tab_id numeric(10) NOT NULL REFERENCES ad_tab(ad_tab_id) DEFERRABLE INITIALLY DEFERRED,
	ad_column_id numeric(10) NOT NULL REFERENCES ad_column(ad_column_id) DEFERRABLE INITIALLY DEFERRED,
	name varchar(60) NOT NULL,
	description varchar(255),
	help varchar(2000),
	placeholder varchar(255),
	iscentrallymaintained char(1) DEFAULT 'Y' NOT NULL CHECK (iscentrallymaintained IN ('Y','N')),
	isdisplayed char(1) DEFAULT 'Y' NOT NULL CHECK (isdisplayed IN ('Y','N')),
	isdisplayedgrid char(1) DEFAULT 'Y' CHECK (isdisplayedgrid IN ('Y','N')),
	seqno numeric(10),
	seqnogrid numeric(10),
	displaylength numeric(10),
	xposition numeric(10) DEFAULT 1,
	columnspan numeric(10) DEFAULT 1,
	numlines numeric(10) DEFAULT 1,
	issameline char(1) NOT NULL CHECK (issameline IN ('Y','N')),
	isreadonly char(1) NOT NULL CHECK (isreadonly IN ('Y','N')),
	isheading char(1) NOT NULL CHECK (isheading IN ('Y','N')),
	isfieldonly char(1) NOT NULL CHECK (isfieldonly IN ('Y','N')),
	isencrypted char(1) NOT NULL CHECK (isencrypted IN ('Y','N')),
	isquickentry char(1) DEFAULT 'N' NOT NULL CHECK (isquickentry IN ('Y','N')),
	isquickform char(1) DEFAULT 'N' NOT NULL CHECK (isquickform IN ('Y','N')),
	isdefaultfocus char(1) DEFAULT 'N' NOT NULL CHECK (isdefaultfocus IN ('Y','N')),
	isadvancedfield char(1) DEFAULT 'N' CHECK (isadvancedfield IN ('Y','N')),
	isallowcopy char(1),
	displaylogic varchar(2000),
	entitytype varchar(40) NOT NULL,
	ad_field_uu uuid CONSTRAINT ad_field_uu_idx UNIQUE,
	UNIQUE (ad_tab_id,ad_column_id)
);
CREATE TABLE ad_menu (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_menu_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60) NOT NULL,
	description varchar(255),
	action char(1),
	ad_window_id numeric(10) REFERENCES ad_window(ad_window_id) DEFERRABLE INITIALLY DEFERRED,
	ad_process_id numeric(10) REFERENCES ad_process(ad_process_id) DEFERRABLE INITIALLY DEFERRED,
	issummary char(1) NOT NULL CHECK (issummary IN ('Y','N')),
	isreadonly char(1) DEFAULT 'N' NOT NULL CHECK (isreadonly IN ('Y','N')),
	issotrx char(1) DEFAULT 'Y' NOT NULL CHECK (issotrx IN ('Y','N')),
	iscentrallymaintained char(1) DEFAULT 'Y' CHECK (iscentrallymaintained IN ('Y','N')),
	entitytype varchar(40) NOT NULL,
	ad_menu_uu uuid CONSTRAINT ad_menu_uu_idx UNIQUE
);
CREATE TABLE ad_treenodemm (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_tree_id numeric(10) NOT NULL REFERENCES ad_tree(ad_tree_id) DEFERRABLE INITIALLY DEFERRED,
	node_id numeric(10) NOT NULL,
	parent_id numeric(10),
	seqno numeric(10),
	PRIMARY KEY (ad_tree_id, node_id),
	ad_treenodemm_uu uuid CONSTRAINT ad_treenodemm_uu_idx UNIQUE
);
CREATE TABLE ad_window_access (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_window_id numeric(10) NOT NULL REFERENCES ad_window(ad_window_id) DEFERRABLE INITIALLY DEFERRED,
	ad_role_id numeric(10) NOT NULL REFERENCES ad_role(ad_role_id) DEFERRABLE INITIALLY DEFERRED,
	isreadwrite char(1) NOT NULL CHECK (isreadwrite IN ('Y','N')),
	PRIMARY KEY (ad_window_id, ad_role_id),
	ad_window_access_uu uuid CONSTRAINT ad_window_access_uu_idx UNIQUE
);
CREATE TABLE ad_tableindex (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_tableindex_id numeric(10) NOT NULL PRIMARY KEY,
	ad_table_id numeric(10) NOT NULL REFERENCES ad_table(ad_table_id) DEFERRABLE INITIALLY DEFERRED,
	name varchar(63) NOT NULL,
	description varchar(255),
	iscreateconstraint char(1) DEFAULT 'N' NOT NULL CHECK (iscreateconstraint IN ('Y','N')),
	isunique char(1) DEFAULT 'N' NOT NULL CHECK (isunique IN ('Y','N')),
	iskey char(1) DEFAULT 'N' NOT NULL CHECK (iskey IN ('Y','N')),
	entitytype varchar(40) NOT NULL,
	ad_tableindex_uu uuid CONSTRAINT ad_tableindex_uu_idx UNIQUE
);
CREATE TABLE ad_indexcolumn (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	ad_indexcolumn_id numeric(10) NOT NULL PRIMARY KEY,
	ad_tableindex_id numeric(10) NOT NULL REFERENCES ad_tableindex(ad_tableindex_id) DEFERRABLE INITIALLY DEFERRED,
	ad_column_id numeric(10) REFERENCES ad_column(ad_column_id) DEFERRABLE INITIALLY DEFERRED,
	columnsql varchar(255),
	seqno numeric(10),
	entitytype varchar(40) NOT NULL,
	ad_indexcolumn_uu uuid CONSTRAINT ad_indexcolumn_uu_idx UNIQUE
);
CREATE TABLE c_bpartner (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	c_bpartner_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60),
	c_bpartner_uu uuid CONSTRAINT c_bpartner_uu_idx UNIQUE
);
CREATE TABLE c_doctype (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	c_doctype_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60),
	c_doctype_uu uuid CONSTRAINT c_doctype_uu_idx UNIQUE
);
CREATE TABLE c_currency (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	c_currency_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60),
	c_currency_uu uuid CONSTRAINT c_currency_uu_idx UNIQUE
);
CREATE TABLE c_location (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	c_location_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60),
	c_location_uu uuid CONSTRAINT c_location_uu_idx UNIQUE
);
CREATE TABLE m_product (
	ad_client_id numeric(10) NOT NULL, ad_org_id numeric(10) NOT NULL, isactive char(1) DEFAULT 'Y' NOT NULL CHECK (isactive IN ('Y','N')), created timestamp DEFAULT now() NOT NULL, createdby numeric(10) NOT NULL, updated timestamp DEFAULT now() NOT NULL, updatedby numeric(10) NOT NULL,
	m_product_id numeric(10) NOT NULL PRIMARY KEY,
	name varchar(60),
	m_product_uu uuid CONSTRAINT m_product_uu_idx UNIQUE
);
CREATE UNIQUE INDEX ad_element_columnname ON ad_element (upper(columnname));

INSERT INTO ad_system (ad_client_id, ad_org_id, createdby, updatedby, ad_system_id, name, releaseno) VALUES (0, 0, 100, 100, 0, 'ERP', '12');
INSERT INTO ad_client (ad_client_id, ad_org_id, createdby, updatedby, name) VALUES (0, 0, 100, 100, 'System');
INSERT INTO ad_org (ad_client_id, ad_org_id, createdby, updatedby, name) VALUES (0, 0, 100, 100, '*');
INSERT INTO ad_user (ad_client_id, ad_org_id, createdby, updatedby, ad_user_id, name) VALUES (0, 0, 100, 100, 100, 'SuperUser');
INSERT INTO ad_role (ad_client_id, ad_org_id, createdby, updatedby, ad_role_id, name) VALUES (0, 0, 100, 100, 0, 'System Administrator'), (11, 0, 100, 100, 102, 'GardenWorld Admin');
INSERT INTO ad_entitytype (ad_client_id, ad_org_id, createdby, updatedby, ad_entitytype_id, entitytype, name) VALUES (0, 0, 100, 100, 100, 'U', 'User maintained');
INSERT INTO ad_tree (ad_client_id, ad_org_id, createdby, updatedby, ad_tree_id, name, treetype, isallnodes) VALUES (0, 0, 100, 100, 10, 'Menu', 'MM', 'Y');
INSERT INTO ad_menu (ad_client_id, ad_org_id, createdby, updatedby, ad_menu_id, name, issummary, entitytype) VALUES (0, 0, 100, 100, 155, 'Application Dictionary', 'Y', 'D');
INSERT INTO ad_sequence (ad_client_id, ad_org_id, createdby, updatedby, ad_sequence_id, name, istableid)
	SELECT 0, 0, 100, 100, v.id, v.name, 'Y' FROM (VALUES (1, 'AD_Sequence'), (4, 'AD_Column'), (7, 'AD_Element'), (8, 'AD_Field'), (9, 'AD_Menu'),
		(15, 'AD_Reference'), (14, 'AD_Ref_List'), (18, 'AD_Tab'), (19, 'AD_Table'), (20, 'AD_Window'), (53081, 'AD_MigrationScript'),
		(200082, 'AD_TableIndex'), (200083, 'AD_IndexColumn')) AS v (id, name);
INSERT INTO ad_table (ad_client_id, ad_org_id, createdby, updatedby, ad_table_id, tablename, name, entitytype, ishighvolume, issecurityenabled)
	SELECT 0, 0, 100, 100, v.id, v.name, v.name, 'D', 'N', 'N'
	FROM (VALUES (112, 'AD_Client'), (155, 'AD_Org'), (114, 'AD_User'), (141, 'C_Currency'), (217, 'C_DocType'), (291, 'C_BPartner'), (208, 'M_Product')) AS v (id, name);
