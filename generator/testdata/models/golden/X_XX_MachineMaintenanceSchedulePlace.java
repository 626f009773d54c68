package com.example.demo.model;

import java.sql.ResultSet;
import java.util.Properties;
import org.compiere.model.*;

/**
 * Model of XX_MachineMaintenanceSchedulePlace: Place.
 * It is generated: changes go into a subclass.
 */
@org.adempiere.base.Model(table="XX_MachineMaintenanceSchedulePlace")
public class X_XX_MachineMaintenanceSchedulePlace extends PO implements I_XX_MachineMaintenanceSchedulePlace, I_Persistent
{

    private static final long serialVersionUID = 20200101L;

    /** Standard constructor */
    public X_XX_MachineMaintenanceSchedulePlace (Properties ctx, int XX_MachineMaintenanceSchedulePlace_ID, String trxName)
    {
      super (ctx, XX_MachineMaintenanceSchedulePlace_ID, trxName);
      /** if (XX_MachineMaintenanceSchedulePlace_ID == 0)
        {
			setC_Location_ID (0);
			setXX_Machine_ID (0);
        } */

    }

    /** Standard constructor with virtual columns to load */
    public X_XX_MachineMaintenanceSchedulePlace (Properties ctx, int XX_MachineMaintenanceSchedulePlace_ID, String trxName, String ... virtualColumns)
    {
      super (ctx, XX_MachineMaintenanceSchedulePlace_ID, trxName, virtualColumns);
      /** if (XX_MachineMaintenanceSchedulePlace_ID == 0)
        {
			setC_Location_ID (0);
			setXX_Machine_ID (0);
        } */

    }

    /** Constructor by UUID */
    public X_XX_MachineMaintenanceSchedulePlace (Properties ctx, String XX_MachineMaintenanceSchedu_UU, String trxName)
    {
      super (ctx, XX_MachineMaintenanceSchedu_UU, trxName);
      /** if (XX_MachineMaintenanceSchedulePlace_ID == 0)
        {
			setC_Location_ID (0);
			setXX_Machine_ID (0);
        } */

    }

    /** Constructor by UUID with virtual columns to load */
    public X_XX_MachineMaintenanceSchedulePlace (Properties ctx, String XX_MachineMaintenanceSchedu_UU, String trxName, String ... virtualColumns)
    {
      super (ctx, XX_MachineMaintenanceSchedu_UU, trxName, virtualColumns);
      /** if (XX_MachineMaintenanceSchedulePlace_ID == 0)
        {
			setC_Location_ID (0);
			setXX_Machine_ID (0);
        } */

    }

    /** Load constructor */
    public X_XX_MachineMaintenanceSchedulePlace (Properties ctx, ResultSet rs, String trxName)
    {
      super (ctx, rs, trxName);
    }

    /** AccessLevel
      * @return 7 - System - Client - Org
      */
    protected int get_AccessLevel()
    {
      return accessLevel.intValue();
    }

    /** Load meta data */
    protected POInfo initPO (Properties ctx)
    {
      POInfo poi = POInfo.getPOInfo (ctx, Table_ID, get_TrxName());
      return poi;
    }

    public String toString()
    {
      StringBuilder sb = new StringBuilder ("X_XX_MachineMaintenanceSchedulePlace[")
        .append(get_UUID()).append("]");
      return sb.toString();
    }

	/** Set Address.
		@param C_Location_ID Address
	*/
	public void setC_Location_ID (int C_Location_ID)
	{
		if (C_Location_ID < 1)
			set_ValueNoCheck (COLUMNNAME_C_Location_ID, null);
		else
			set_ValueNoCheck (COLUMNNAME_C_Location_ID, Integer.valueOf(C_Location_ID));
	}

	/** Get Address.
		@return Address
	  */
	public int getC_Location_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_C_Location_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}

	/** Set Node.
		@param Node_ID Node
	*/
	public void setNode_ID (int Node_ID)
	{
		if (Node_ID < 0)
			set_Value (COLUMNNAME_Node_ID, null);
		else
			set_Value (COLUMNNAME_Node_ID, Integer.valueOf(Node_ID));
	}

	/** Get Node.
		@return Node
	  */
	public int getNode_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_Node_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}

	/** Set UUID.
		@param XX_MachineMaintenanceSchedu_UU UUID
	*/
	public void setXX_MachineMaintenanceSchedu_UU (String XX_MachineMaintenanceSchedu_UU)
	{
		set_Value (COLUMNNAME_XX_MachineMaintenanceSchedu_UU, XX_MachineMaintenanceSchedu_UU);
	}

	/** Get UUID.
		@return UUID
	  */
	public String getXX_MachineMaintenanceSchedu_UU()
	{
		return (String)get_Value(COLUMNNAME_XX_MachineMaintenanceSchedu_UU);
	}

	/** Set Machine.
		@param XX_Machine_ID Machine
	*/
	public void setXX_Machine_ID (int XX_Machine_ID)
	{
		if (XX_Machine_ID < 1)
			set_ValueNoCheck (COLUMNNAME_XX_Machine_ID, null);
		else
			set_ValueNoCheck (COLUMNNAME_XX_Machine_ID, Integer.valueOf(XX_Machine_ID));
	}

	/** Get Machine.
		@return Machine
	  */
	public int getXX_Machine_ID()
	{
		Integer ii = (Integer)get_Value(COLUMNNAME_XX_Machine_ID);
		if (ii == null)
			 return 0;
		return ii.intValue();
	}
}
