package com.example.demo.model;

import java.math.BigDecimal;
import org.compiere.model.*;
import org.compiere.util.KeyNamePair;

/**
 * Interface of XX_MachineMaintenanceSchedulePlace: Place.
 */
@SuppressWarnings("all")
public interface I_XX_MachineMaintenanceSchedulePlace
{

    /** TableName=XX_MachineMaintenanceSchedulePlace */
    public static final String Table_Name = "XX_MachineMaintenanceSchedulePlace";

    /** AD_Table_ID, which every installation numbers on its own */
    public static final int Table_ID = MTable.getTable_ID(Table_Name);

    KeyNamePair Model = new KeyNamePair(Table_ID, Table_Name);

    /** AccessLevel = 7 - System - Client - Org */
    BigDecimal accessLevel = BigDecimal.valueOf(7);

	/** Column name C_Location_ID */
	public static final String COLUMNNAME_C_Location_ID = "C_Location_ID";

	/** Set Address.
	  */
	public void setC_Location_ID (int C_Location_ID);

	/** Get Address.
	  */
	public int getC_Location_ID();

	/** Column name Node_ID */
	public static final String COLUMNNAME_Node_ID = "Node_ID";

	/** Set Node.
	  */
	public void setNode_ID (int Node_ID);

	/** Get Node.
	  */
	public int getNode_ID();

	/** Column name XX_MachineMaintenanceSchedu_UU */
	public static final String COLUMNNAME_XX_MachineMaintenanceSchedu_UU = "XX_MachineMaintenanceSchedu_UU";

	/** Set UUID.
	  */
	public void setXX_MachineMaintenanceSchedu_UU (String XX_MachineMaintenanceSchedu_UU);

	/** Get UUID.
	  */
	public String getXX_MachineMaintenanceSchedu_UU();

	/** Column name XX_Machine_ID */
	public static final String COLUMNNAME_XX_Machine_ID = "XX_Machine_ID";

	/** Set Machine.
	  */
	public void setXX_Machine_ID (int XX_Machine_ID);

	/** Get Machine.
	  */
	public int getXX_Machine_ID();
}
